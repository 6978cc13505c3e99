import { joinedLines, paragraphsOf } from '../sentences.js';
import { BOUND_WORDS } from './lexicon/index.js';
import { saidIn } from './own-words.js';

/** A longer sentence is a text, but for one that opens with its bound and goes on with a reason. In characters. */
const LONGEST_CHARS = 320;
const LONGEST_WITH_REASON_CHARS = 800;
/** Of such a sentence: the clause that must bind by itself ends here at the latest. */
const FIRST_CLAUSE =
  /^[^\n]{12,240}?(?=[,;:–—(，；、]| (?:because|since|weil|denn|parce que|porque|потому)\b)/u;
/** What may stand before an order without changing it. */
const LEAD =
  /^(?:[-*+•>"“'’(\s¡]|\[[^\]\n]{1,60}\]|\d{1,3}[.)]\s|(?:ok(?:ay)?|also|and|but|so|then|btw|well|yes|no(?=[,;:.!])|yep|sure|great|right|again|remember|note|important|just|however|still|for this|in (?:this|the) (?:repo|project|codebase)|one (?:more )?thing|other than that|(?:error: |as )?i (?:said|repeat)|und|aber|also|surtout|por favor|s['’]il (?:te|vous) pla[îi]t|пожалуйста)(?!\p{L})[,:;!.\s-]*)+/iu;
const POLITE = /^(?:please|pls|plz)\s+/iu;
/** Where a clause begins that may be an order of its own. */
const CLAUSE =
  /(?:[,;:–—]|\s-)\s+(?:(?:and|but|then|also|please|und|aber|mais|pero|но|и|а)\s+)*|[،؛]\s*|\s(?:and|but)\s+/giu;

const QUESTION = /[?？؟]\W{0,5}$/u;
/** Asked behind an order, it asks for a yes: the order stands. */
const TAG =
  /(?:[,;.–—-]\s*¿?(?:ok|okay|got (?:it|that)|all ?right|understood|is that clear|clear|agreed|please|will you|would you|ja|verstanden|klar|alles klar|bitte|gell|d['’]accord|compris|hein|s['’]il (?:te|vous) pla[iî]t|vale|entendido|de acuerdo|está claro|por favor|хорошо|ладно|ок|окей|понял[аи]?|понятно|договорились)|[,，、।،\s](?:好吗|好嗎|行吗|好不好|行不行|知道吗|明白吗|明白了吗|懂吗|可以吗|ठीक है|समझे|समझ गए|ok|حسنا|حسناً|مفهوم|طيب|تمام|اتفقنا)|(?<=[ねよ])|、?(?:いい|いいね|わかった|分かった|了解))\s{0,2}[?？؟]{1,3}\W{0,3}$/iu;
/** An order in the form of a question. */
const ASKS_NOT_TO = /^\W{0,3}(?:can|could|would|will) you please (?:not|never) /iu;
/** What opens so is a question, whatever is asked behind it. */
const ASKS =
  /^\W{0,3}(?:(?:is|are|does|did|should|shall|may|what|why|how|who|when|where|which|so)\b|do (?!not\b)|(?:can|could) i\b)/iu;
/** A line of a program; a user may call his own so. */
const ERROR_LINE = /^\W{0,3}(?:error|fatal|fatal error)(?:\[\w{1,12}\])?: (?!.*\bI\b)/iu;

/** Whether a sentence of a user sets a bound beyond the moment: an order not to, a must, an only, a limit. */
export function setsBound(sentence: string): boolean {
  const said = assertedIn(sentence);
  if (said === undefined || ERROR_LINE.test(said)) return false;
  let clauses: readonly string[] | undefined;
  return BOUND_WORDS.some(({ opens, holds, needs, tells }) => {
    if (needs?.test(said) === false) return false;
    const isBound =
      (holds?.test(said) ?? false) ||
      (opens !== undefined &&
        (clauses ??= openings(said)).some((clause) => {
          opens.lastIndex = 0;
          return opens.test(clause);
        }));
    return isBound && !(tells?.test(said) ?? false);
  });
}

/** What of a sentence can bind: itself without a question behind it, of a long one its first clause; of a question nothing. */
function assertedIn(sentence: string): string | undefined {
  let said = sentence;
  if (QUESTION.test(said.slice(-8)) && !ASKS_NOT_TO.test(said)) {
    said = said.replace(TAG, '');
    if (said === sentence || ASKS.test(said)) return undefined;
  }
  if (said.length <= LONGEST_CHARS) return said;
  return said.length <= LONGEST_WITH_REASON_CHARS ? FIRST_CLAUSE.exec(said)?.[0] : undefined;
}

/** The bounds of a sentence: itself in one line or, where its lines only look wrapped, each of them that sets one. */
export function boundsIn(sentence: string, own = sentence): string[] {
  const whole = joinedLines(sentence);
  if (setsBound(joinedLines(own))) return [whole];
  if (whole === sentence || own !== sentence) return [];
  return sentence
    .split('\n')
    .map((line) => line.trim())
    .filter(setsBound);
}

/** The sentences of what a user said, each with its bounds. */
export function boundsBySentence(words: string): { readonly sentence: string; readonly bounds: string[] }[] {
  return saidIn(paragraphsOf(words)).map(({ sentence, own }) => ({
    sentence,
    bounds: own === '' ? [] : boundsIn(sentence, own),
  }));
}

/** Where an order may begin: at the sentence and at each clause, without courtesy and with it. */
function openings(sentence: string): readonly string[] {
  const plain = sentence.replace(LEAD, '');
  const clauses = [plain, ...plain.split(CLAUSE).slice(1)].map((clause) => clause.replace(LEAD, ''));
  return [...new Set(clauses.flatMap((clause) => [clause.replace(POLITE, ''), clause]))];
}
