import { textOf, type LogMessage } from '../transcript/index.js';
import { bindingOf, sentencesOf } from './said/index.js';
import { oneLine } from './slices.js';

/** Longest sentence taken over, in characters; a longer one is cut. */
const SENTENCE_CHARS = 260;

/** Prose of one message is read this far from either end. */
const PROSE_CHARS = 12_000;

/** Words by which an agent says what it chose and why. */
const DECIDES =
  /\b(?:decid\w+|decision|because|instead|rather than|so that|therefore|chose|choos\w+|will|going to|must|should|need(?:s|ed)? to|require[sd]?|cannot|can't|root cause|the (?:problem|issue|cause|fix|reason) (?:is|was)|turns out|found (?:that|the)|confirmed|plan is|next step|not .{1,40} but|fixed|prefer\w*|constraint)\b/i;

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

/** Whether a text of a user binds beyond the moment, or says that something no longer does. */
export function setsConstraint(text: string): boolean {
  return bindingOf(text.slice(0, PROSE_CHARS)) > 0;
}

/** The text a message says itself: no reasoning, no results. */
export function proseOf(message: { readonly parts: LogMessage['parts'] }): string {
  let prose = '';
  for (const part of message.parts)
    if (part.type === 'text') prose += prose === '' ? textOf(part) : `\n${textOf(part)}`;
  return prose;
}
