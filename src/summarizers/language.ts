import { userWordsIn } from '../reading/index.js';
import type { LogMessage } from '../transcript/index.js';

/** How the record's language is named where no text says it plainly. */
export const USERS_LANGUAGE = 'the language that the user writes in';

/** Of each message the beginning is read: what is longer is mostly pasted. In characters. */
const HEAD_CHARS = 500;

/** The newest words decide. In characters. */
const SAMPLE_CHARS = 4_000;

/** Of the letters in a sample, so many make a script the user's: identifiers and commands are Latin everywhere. */
const SCRIPT_SHARE = 0.2;

/** Fewer stop words, or not so much more than of the next language, are chance. */
const LEAST_HITS = 3;
const LEAST_LEAD = 1.5;

/** Scripts that one language, or one above all, is written in. Kana comes before Han, which Japanese has as well. */
const SCRIPTS: readonly (readonly [RegExp, (sample: string) => string | undefined])[] = [
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/gu, () => 'Japanese'],
  [/\p{Script=Hangul}/gu, () => 'Korean'],
  [/\p{Script=Han}/gu, () => 'Chinese'],
  [/\p{Script=Cyrillic}/gu, (sample) => (/[іїєґ]/i.test(sample) ? 'Ukrainian' : byStopWords(sample))],
  [/\p{Script=Arabic}/gu, (sample) => (/[پچژگ]/.test(sample) ? 'Persian' : 'Arabic')],
  [/\p{Script=Hebrew}/gu, () => 'Hebrew'],
  [/\p{Script=Greek}/gu, () => 'Greek'],
  [/\p{Script=Thai}/gu, () => 'Thai'],
  [/\p{Script=Devanagari}/gu, () => 'Hindi'],
];

const list = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** Short words that each language uses in nearly every sentence. */
const STOP_WORDS: Readonly<Record<string, ReadonlySet<string>>> = {
  English: list(
    'the and is are was were to of in it that this these for with you not have has had be been on if we should would please can do does what when which all but from or as at an by my your its',
  ),
  German: list(
    'der die das und ist nicht ich du wir sie es ein eine einen mit auf für dass den dem von zu bitte auch wenn noch aber nur wie was oder kein keine mach alle im',
  ),
  French: list(
    'le la les des et est une un pas je tu nous vous pour dans que qui sur avec ce cette ne du au plus fait mais sans sont ça',
  ),
  Spanish: list(
    'el la los las y es una un que de en por para con no se lo del al como pero más esto está hay haz todo también sin',
  ),
  Portuguese: list(
    'o os as e é uma um que de em por para com não se do da no na ao como mas mais isso está você faça tudo também sem',
  ),
  Italian: list(
    'il lo la gli le e è una un che di in per con non si del della al come ma più questo sono fai tutto anche senza nel',
  ),
  Dutch: list(
    'de het een en is niet ik je we dat van voor met op zijn deze dit maar ook als aan te wil alle moet geen nog er',
  ),
  Polish: list(
    'i w nie na się z do to jest że jak ale czy dla od po tak tego tylko już jeszcze proszę są być co tym przez',
  ),
  Czech: list(
    'a v na se je to že s z do jak ale pro od po tak jen už ještě prosím jsou co být bez když není',
  ),
  Swedish: list(
    'och att det är inte jag du vi en ett som på för med av den till om men så kan alla ska har utan',
  ),
  Danish: list(
    'og at det er ikke jeg du vi en et som på for med af den til om men så kan alle skal har uden',
  ),
  Turkish: list(
    've bir bu da de için ile çok ama ne değil var yok gibi daha lütfen olarak sonra kadar hem ben sen',
  ),
  Indonesian: list(
    'yang dan di ke dari ini itu untuk dengan tidak ada saya kamu jangan juga akan pada atau bisa sudah tolong',
  ),
  Vietnamese: list('và là của không có cho với này các một được trong những tôi bạn hãy khi thì đã nếu'),
  Russian: list('и в не на что это с как но для по же так все бы если только из или у он она мы ты вы к от'),
};

/**
 * Names the language that the user writes in, in English, by script and stop words; undefined where their words are
 * too few or too mixed to say. Code and addresses are not read.
 */
export function languageOf(messages: readonly LogMessage[]): string | undefined {
  const sample = sampleOf(messages);
  const letters = sample.match(/\p{L}/gu)?.length ?? 0;
  for (const [script, name] of SCRIPTS) {
    const found = sample.match(script)?.length ?? 0;
    if (found > 1 && found >= SCRIPT_SHARE * letters) return name(sample);
  }
  return byStopWords(sample);
}

/** The newest words of the user's own, in no order that matters. */
function sampleOf(messages: readonly LogMessage[]): string {
  let sample = '';
  for (const message of messages.toReversed()) {
    if (message.role !== 'user') continue;
    sample += `${withoutCode(userWordsIn(message)).slice(0, HEAD_CHARS)}\n`;
    if (sample.length >= SAMPLE_CHARS) break;
  }
  return sample;
}

/** Programs are written in nobody's language, and no more than the head of a long text is looked at. */
function withoutCode(text: string): string {
  return text
    .slice(0, 4 * HEAD_CHARS)
    .replace(/```[^]*?(?:```|$)|`[^`\n]*`/g, ' ')
    .replace(/(?<!\S)[^\s/\\_<>{}=]*[/\\_<>{}=]\S*/g, ' ');
}

/** An answer quotes in other languages; so many words of one, and so many times those of its own, are no quotation. */
const LEAST_OTHER_HITS = 12;
const LEAST_OTHER_LEAD = 4;
/** Of the letters, so many of a script make a text's own. */
const MAIN_SHARE = 0.6;

/**
 * Names the language that a text is written in, where that is plainly not the one that was asked for; undefined where it
 * is, or where nobody can say: a short text, code, a mixture, a language that is not known here.
 */
export function otherLanguageOf(text: string, asked: string): string | undefined {
  const own = STOP_WORDS[asked];
  const script = SCRIPTS_OF.get(asked);
  if (!own && !script) return undefined;
  const prose = withoutQuotes(text);
  const letters = prose.match(/\p{L}/gu)?.length ?? 0;
  const shareOf = (pattern: RegExp): number => (prose.match(pattern)?.length ?? 0) / Math.max(1, letters);
  if (script && shareOf(script) >= 0.05) return undefined;
  const foreign = SCRIPTS.find(([pattern]) => shareOf(pattern) >= MAIN_SHARE);
  if (letters >= LEAST_FOREIGN_LETTERS && foreign && foreign[0] !== script) return foreign[1](prose);
  const hits = hitsIn(prose);
  const [first] = hits;
  const ofAsked = hits.find(({ name }) => name === asked)?.count ?? 0;
  const isOther =
    first!.name !== asked && first!.count >= LEAST_OTHER_HITS && first!.count >= LEAST_OTHER_LEAD * ofAsked;
  return isOther ? first!.name : undefined;
}

/** Fewer letters of a script are a name. */
const LEAST_FOREIGN_LETTERS = 40;

/** Of the languages that are told by their script alone, or by it first. */
const SCRIPTS_OF: ReadonlyMap<string, RegExp> = new Map([
  ['Japanese', /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ['Korean', /\p{Script=Hangul}/gu],
  ['Chinese', /\p{Script=Han}/gu],
  ['Russian', /\p{Script=Cyrillic}/gu],
  ['Ukrainian', /\p{Script=Cyrillic}/gu],
  ['Persian', /\p{Script=Arabic}/gu],
  ['Arabic', /\p{Script=Arabic}/gu],
  ['Hebrew', /\p{Script=Hebrew}/gu],
  ['Greek', /\p{Script=Greek}/gu],
  ['Thai', /\p{Script=Thai}/gu],
  ['Hindi', /\p{Script=Devanagari}/gu],
]);

/** What stands in quotation marks is somebody else's; headings are the prompt's. */
function withoutQuotes(text: string): string {
  return text
    .split('\n')
    .filter((line) => !/^\s*[#>]/.test(line))
    .map((line) =>
      withoutCode(line)
        .split(/["“”„«»「」]/)
        .filter((_, i) => i % 2 === 0)
        .join(' '),
    )
    .join('\n');
}

function byStopWords(sample: string): string | undefined {
  const [first, second] = hitsIn(sample);
  const isPlain = first!.count >= LEAST_HITS && first!.count >= LEAST_LEAD * second!.count;
  return isPlain ? first!.name : undefined;
}

/** Stop words of each language in a text, the most first. */
function hitsIn(text: string): { readonly name: string; readonly count: number }[] {
  const hits = Object.keys(STOP_WORDS).map((name) => ({ name, count: 0 }));
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{M}]+/gu))
    for (const hit of hits) if (STOP_WORDS[hit.name]!.has(word)) hit.count++;
  return hits.sort((a, b) => b.count - a.count);
}
