import { userWordsIn } from '../text/reading/index.js';
import type { LogMessage } from '../transcript/index.js';

/** The name of the record's language if the texts do not show it clearly. */
export const USERS_LANGUAGE = 'the language that the user writes in';

/** The beginning of each message that is read; longer text is mostly pasted. In characters. */
const HEAD_CHARS = 500;

/** The newest words are sampled. In characters. */
const SAMPLE_CHARS = 4_000;

/** The share of a sample's letters that makes a script the user's: identifiers and commands are Latin everywhere. */
const SCRIPT_SHARE = 0.2;

/** The least number of stop words, and their least lead over the next language; less is chance. */
const MIN_HITS = 3;
const MIN_LEAD = 1.5;

/** An answer quotes other languages; this many words of one, and this many times those of its own, are no quotation. */
const MIN_OTHER_HITS = 12;
const MIN_OTHER_LEAD = 4;

/** The share of an answer's letters that makes a script the text's own; fewer letters than this are a name. */
const MAIN_SHARE = 0.6;
const MIN_FOREIGN_LETTERS = 40;
/** This share of its own script shows that an answer is written in it. */
const OWN_SHARE = 0.05;

/** Scripts with the languages that they identify, the likely one first. Kana precedes Han, which Japanese also uses. */
const SCRIPTS: readonly (readonly [RegExp, readonly string[], (sample: string) => string | undefined])[] = [
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/gu, ['Japanese'], () => 'Japanese'],
  [/\p{Script=Hangul}/gu, ['Korean'], () => 'Korean'],
  [/\p{Script=Han}/gu, ['Chinese'], () => 'Chinese'],
  [
    /\p{Script=Cyrillic}/gu,
    ['Russian', 'Ukrainian'],
    (sample) => (/[іїєґ]/i.test(sample) ? 'Ukrainian' : byStopWords(sample)),
  ],
  [/\p{Script=Arabic}/gu, ['Arabic', 'Persian'], (sample) => (/[پچژگ]/.test(sample) ? 'Persian' : 'Arabic')],
  [/\p{Script=Hebrew}/gu, ['Hebrew'], () => 'Hebrew'],
  [/\p{Script=Greek}/gu, ['Greek'], () => 'Greek'],
  [/\p{Script=Thai}/gu, ['Thai'], () => 'Thai'],
  [/\p{Script=Devanagari}/gu, ['Hindi'], () => 'Hindi'],
];

/** Short words that each language uses in nearly every sentence. */
const STOP_WORDS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  `English the and is are was to of in it that this for with you not have be on if we should would please can do does what when
German der die das und ist nicht ich du wir sie es ein eine mit auf für dass den zu bitte auch wenn noch aber nur wie oder
French le la les des et est une un pas je tu nous vous pour dans que qui sur avec ce cette ne du au plus fait mais sans
Spanish el la los las y es una un que de en por para con no se lo del al como pero más esto está hay haz sin
Portuguese o os as e é uma um que de em por para com não se do da no na ao como mas mais isso está você sem
Italian il lo la gli le e è una un che di in per con non si del della al come ma più questo sono fai senza
Dutch de het een en is niet ik je we dat van voor met op zijn deze dit maar ook als aan te wil alle moet geen
Polish i w nie na się z do to jest że jak ale czy dla od po tak tego tylko już jeszcze proszę są być
Czech a v na se je to že s z do jak ale pro od po tak jen už ještě prosím jsou co být bez když není
Swedish och att det är inte jag du vi en ett som på för med av den till om men så kan alla ska har utan
Danish og at det er ikke jeg du vi en et som på for med af den til om men så kan alle skal har uden
Turkish ve bir bu da de için ile çok ama ne değil var yok gibi daha lütfen olarak sonra kadar hem ben
Indonesian yang dan di ke dari ini itu untuk dengan tidak ada saya kamu jangan juga akan pada atau bisa
Vietnamese và là của không có cho với này các một được trong những tôi bạn hãy khi thì đã nếu
Russian и в не на что это с как но для по же так все бы если только из или у он она мы ты вы к от`
    .split('\n')
    .map((line) => line.split(' '))
    .map(([name, ...words]) => [name!, new Set(words)]),
);

/**
 * Names the language that the user writes in, in English, by script and stop words; undefined if the user's words are
 * too few or too mixed. Code and addresses are not read.
 */
export function languageOf(messages: readonly LogMessage[]): string | undefined {
  let sample = '';
  for (const message of messages.toReversed()) {
    if (message.role !== 'user') continue;
    sample += `${withoutCode(userWordsIn(message)).slice(0, HEAD_CHARS)}\n`;
    if (sample.length >= SAMPLE_CHARS) break;
  }
  const letters = matchesOf(sample, /\p{L}/gu);
  for (const [script, , name] of SCRIPTS) {
    const found = matchesOf(sample, script);
    if (found > 1 && found >= SCRIPT_SHARE * letters) return name(sample);
  }
  return byStopWords(sample);
}

const matchesOf = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

/** The head of a text without code and addresses, which are in no natural language. */
const withoutCode = (text: string): string =>
  text
    .slice(0, 4 * HEAD_CHARS)
    .replace(/```[^]*?(?:```|$)|`[^`\n]*`/g, ' ')
    .replace(/(?<!\S)[^\s/\\_<>{}=]*[/\\_<>{}=]\S*/g, ' ');

/**
 * Names the language of a text if it is clearly not the language that was asked for; undefined if it is, or if the
 * language is unclear: a short text, code, a mixture, or an unknown language.
 */
export function otherLanguageOf(text: string, asked: string): string | undefined {
  const own = SCRIPTS.find(([, names]) => names.includes(asked));
  if (!STOP_WORDS.has(asked) && !own) return undefined;
  const prose = withoutQuotes(text);
  const letters = matchesOf(prose, /\p{L}/gu);
  const shareOf = (pattern: RegExp): number => matchesOf(prose, pattern) / Math.max(1, letters);
  if (own && shareOf(own[0]) >= OWN_SHARE) return undefined;
  const foreign = SCRIPTS.find(([pattern]) => shareOf(pattern) >= MAIN_SHARE);
  if (letters >= MIN_FOREIGN_LETTERS && foreign && foreign !== own) return foreign[2](prose);
  const hits = hitsIn(prose);
  const [first] = hits;
  const ofAsked = hits.find(({ name }) => name === asked)?.count ?? 0;
  const isOther =
    first!.name !== asked && first!.count >= MIN_OTHER_HITS && first!.count >= MIN_OTHER_LEAD * ofAsked;
  return isOther ? first!.name : undefined;
}

/** The text without quotations, which are other people's words, and without headings, which come from the prompt. */
const withoutQuotes = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !/^\s*[#>]/.test(line))
    .map((line) => withoutCode(line).split(/["“”„«»「」]/))
    .map((pieces) => pieces.filter((_, i) => i % 2 === 0).join(' '))
    .join('\n');

function byStopWords(sample: string): string | undefined {
  const [first, second] = hitsIn(sample);
  const isPlain = first!.count >= MIN_HITS && first!.count >= MIN_LEAD * second!.count;
  return isPlain ? first!.name : undefined;
}

/** The number of stop words of each language in a text, the highest first. */
function hitsIn(text: string): { readonly name: string; readonly count: number }[] {
  const words = text.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? [];
  return [...STOP_WORDS]
    .map(([name, stops]) => ({ name, count: words.filter((word) => stops.has(word)).length }))
    .sort((a, b) => b.count - a.count);
}
