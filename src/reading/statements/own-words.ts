/** Passages in quotation marks, of several words; straight marks only where words stand outside of both. */
const QUOTED = new RegExp(
  [
    '“[^”]{1,600}”',
    '„[^“”]{1,600}[“”]',
    '«[^»]{1,600}»',
    '「[^」]{1,600}」',
    '『[^』]{1,600}』',
    '(?<![\\p{L}\\p{N}])"(?=[^\\s"])[^"]{1,600}"(?![\\p{L}\\p{N}])',
    "(?<![\\p{L}\\p{N}])'(?=[^\\s'])[^'\\n]{1,300}'(?![\\p{L}\\p{N}])",
    '`[^`\\n]{1,300}`',
  ].join('|'),
  'gu',
);
/** A name in quotation marks is said by whoever says the sentence. */
const IS_NAME = /^.[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]{0,40}.$/u;
/** The user quotes himself. */
const HIS_OWN =
  /(?<!\p{L})(?:i (?:said|say|repeat|told you|mean)|(?:my|our) (?:\p{L}{1,20} )?rules?|ich (?:sagte|habe gesagt)|j['’]ai dit|he dicho|я сказал)(?!\p{L})|我说/iu;
/** Between the sentences of a paragraph while its quotations are looked for: they may reach over several. */
const BETWEEN = '\u0001';

/** The text of an order on text: what stands behind the colon is to be shown, not to be heeded. */
const WORDING =
  /(?<!\p{L})(?:add|insert|put|show|display|print|make|set|change|update|render|write|include|append|use|replace)(?!\p{L})[^\n:]{0,120}(?<!\p{L})(?:say|says|saying|reads?|reading|text|message|label|tooltip|title|heading|banner|caption|headline|copy|hint|notice|placeholder)(?: (?:to|as|into|in) [^\n:]{1,30}| should (?:be|say|read))?: |\bshould (?:say|read|show|print|display): /iu;
/** What a program says of an error, by the name of its kind. */
const ERROR = /(?<![\w$])[\w$.]{0,60}[a-z](?:Error|Exception|Fault)(?: \[[^\]\n]{1,60}\])?: /u;

/** A line that says that a text to work on follows. */
const MATERIAL =
  /^\W{0,4}(?:(?:please|now|can you|could you|bitte|por favor|пожалуйста|请|請)[, ]{0,2})?(?:summari[sz]e|translate|convert|proofread|rewrite|rephrase|paraphrase|reword|shorten|transcribe|critique|fix (?:this|the|my|our) (?:[^\s:]{1,20} ){0,2}(?:prompt|text|wording|e?-?mail|letter|copy|paragraph|grammar)|rules of (?:the|our|this) [^\n:]{1,60}|(?:review|read|explain|analy[sz]e|check|improve|polish) (?:this|the|these) (?:[^\s:]{1,20} ){0,3}(?:clauses?|contract|e?-?mail|letter|policy|article|ticket|transcript|prompt|poem|lyrics)|(?:(?:a|the|this) )?(?:slack|e?-?mail|message|ticket|comment|feedback|reply) from|(?:the|this|their|his|her) [^\n:]{1,60} (?:says|said|writes|wrote)|übersetze|fasse|formuliere|korrigiere|traduis|traduisez|résume|résumez|corrige|traduce|resume|переведи|перескажи|перефразируй|翻译|翻譯|总结|總結|润色|改写|翻訳|要約|添削|校正)(?![\p{Script=Latin}\p{Script=Cyrillic}])(?:[^\n]{0,200}[:：]\s{0,3}$|[^\n:]{0,40}(?:this|these|following|text|sentence|texto?|texte|это|текст)[^\n:]{0,40}: )/iu;
const HEADING = /^#{1,6} /;
const ENDS_IN_COLON = /[:：]\s{0,3}$/u;

/** Such a line leads to what the writer himself demands, not to a text. */
const LEADS_TO_RULES =
  /(?<!\p{L})(?:mind|remember|careful|conditions?|rules?|constraints?|bounds?|requirements?|notes?|gilt|beachte|regeln|condition|règles?|reglas?|условия?|правила?)\s{0,3}[:：]\s{0,3}$|(?:要求|注意|条件|规则)\s{0,3}[:：]\s{0,3}$/iu;

/** A sentence, and what of it is said by the one who wrote it: '' where that is nothing. */
export interface Said {
  readonly sentence: string;
  readonly own: string;
}

/**
 * The sentences of a text, by paragraphs, with what its writer says himself. Another's are passages in quotation marks
 * with words around them, the text of a message to be shown, what a program says of an error, and the paragraph that a
 * sentence gives to be translated, summed up or mended.
 */
export function saidIn(paragraphs: readonly (readonly string[])[]): Said[] {
  const said: Said[] = [];
  let isMaterial = false;
  for (const paragraph of paragraphs) {
    const owns = ownOf(paragraph);
    const isTitle: boolean = isMaterial && paragraph.length === 1 && HEADING.test(paragraph[0]!);
    paragraph.forEach((sentence, i) => {
      const leads = !isMaterial && MATERIAL.test(sentence) && !LEADS_TO_RULES.test(sentence);
      said.push({ sentence, own: isMaterial || (leads && !ENDS_IN_COLON.test(sentence)) ? '' : owns[i]! });
      isMaterial ||= leads;
    });
    // Below a line that leads to it alone, or its title, the material is the next paragraph.
    isMaterial =
      isTitle || (isMaterial && MATERIAL.test(paragraph.at(-1)!) && ENDS_IN_COLON.test(paragraph.at(-1)!));
  }
  return said;
}

/** Of each sentence of a paragraph, what its writer says himself. */
function ownOf(paragraph: readonly string[]): readonly string[] {
  const text = paragraph.join(BETWEEN);
  const owns = HIS_OWN.test(text) ? paragraph : unquoted(text).split(BETWEEN);
  return owns.map(withoutTexts);
}

function unquoted(text: string): string {
  const rest = text.replace(QUOTED, (quotation) =>
    IS_NAME.test(quotation) ? quotation : `“${[...quotation].filter((char) => char === BETWEEN).join('')}”`,
  );
  return /\p{L}/u.test(rest) ? rest : text;
}

function withoutTexts(sentence: string): string {
  const wording = WORDING.exec(sentence);
  const own = wording ? sentence.slice(0, wording.index + wording[0].length) : sentence;
  const error = ERROR.exec(own);
  if (!error) return own;
  // Behind it the writer speaks again.
  const again = /[,;] (?:but|aber|mais|pero|но)\b/iu.exec(own.slice(error.index));
  return own.slice(0, error.index) + (again ? own.slice(error.index + again.index) : '');
}
