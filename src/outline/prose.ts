import { textOf, type LogMessage } from '../transcript/index.js';
import { oneLine } from './slices.js';

/** Longest sentence taken over, in characters; a longer one is cut. */
const SENTENCE_CHARS = 260;

/** Prose of one message is read this far from either end. */
const PROSE_CHARS = 12_000;

/** Words by which an agent says what it chose and why. */
const DECIDES =
  /\b(?:decid\w+|decision|because|instead|rather than|so that|therefore|chose|choos\w+|will|going to|must|should|need(?:s|ed)? to|require[sd]?|cannot|can't|root cause|the (?:problem|issue|cause|fix|reason) (?:is|was)|turns out|found (?:that|the)|confirmed|plan is|next step|not .{1,40} but|fixed|prefer\w*|constraint)\b/i;

/** Words by which a user sets a bound that holds beyond the moment. */
const CONSTRAINS =
  /\b(?:must|never|always|do(?:n't| not)|only|without|unless|require[sd]?|should(?:n't)?|make sure|ensure|no more than|at (?:most|least)|prefer|important|remember|keep|use)\b/i;

export interface Sentence {
  readonly seq: number;
  readonly text: string;
}

/** What an assistant said that was a decision, or the last words before it called a tool. */
export function decisionsOf(message: LogMessage): Sentence[] {
  const prose = proseOf(message);
  if (prose.trim() === '') return [];
  const sentences = sentencesOf(prose);
  const chosen = sentences.filter((sentence) => DECIDES.test(sentence));
  const last = sentences.findLast((sentence) => !sentence.endsWith(':'));
  if (chosen.length === 0 && last !== undefined) chosen.push(last);
  return chosen.map((text) => ({ seq: message.seq, text: oneLine(text, SENTENCE_CHARS) }));
}

export function setsConstraint(text: string): boolean {
  return CONSTRAINS.test(text.slice(0, PROSE_CHARS));
}

/** A message up to this long binds as a whole: its sentences explain each other. */
const WHOLE_CHARS = 600;

/** The words of a user that set a bound, verbatim: a short message whole, of a long one the sentences that do. */
export function boundsIn(text: string): string[] {
  if (!setsConstraint(text)) return [];
  return text.length <= WHOLE_CHARS
    ? [text]
    : sentencesOf(text).filter((sentence) => CONSTRAINS.test(sentence));
}

/** The text a message says itself: no reasoning, no results. */
export function proseOf(message: { readonly parts: LogMessage['parts'] }): string {
  let prose = '';
  for (const part of message.parts)
    if (part.type === 'text') prose += prose === '' ? textOf(part) : `\n${textOf(part)}`;
  return prose;
}

/** Sentences and list items; code blocks are left out. */
function sentencesOf(prose: string): string[] {
  const read =
    prose.length <= 2 * PROSE_CHARS ? prose : `${prose.slice(0, PROSE_CHARS)}\n${prose.slice(-PROSE_CHARS)}`;
  const sentences: string[] = [];
  let inCode = false;
  for (const line of read.split('\n')) {
    if (line.trimStart().startsWith('```')) inCode = !inCode;
    else if (!inCode) {
      for (const sentence of line.split(/(?<=[.!?。！？])\s+/))
        if (/\p{L}{2}/u.test(sentence)) sentences.push(sentence.trim());
    }
  }
  return sentences;
}
