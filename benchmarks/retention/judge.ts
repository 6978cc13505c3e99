import type { ChatMessage } from '../support/chat.js';
import type { Probe } from './probes.js';
import { textOfMessage, wordsOf } from './text.js';

export interface Verdict {
  readonly present: boolean;
  readonly anchored: boolean;
}

/** The greatest distance from a fact at which a word still tells what the fact is, in characters. */
const REACH = 200;

export function judge(probe: Probe, request: readonly ChatMessage[]): Verdict {
  let present = false;
  for (const message of request) {
    const text = textOfMessage(message);
    for (let at = text.indexOf(probe.fact); at >= 0; at = text.indexOf(probe.fact, at + 1)) {
      present = true;
      if (around(text, at, at + probe.fact.length).some((word) => probe.anchors.words.has(word))) {
        return { present, anchored: true };
      }
    }
  }
  return { present, anchored: false };
}

/** The words on the line of text[from, to), within reach and outside it. */
function around(text: string, from: number, to: number): string[] {
  const lineStart = text.lastIndexOf('\n', from - 1) + 1;
  const newline = text.indexOf('\n', to);
  const lineEnd = newline < 0 ? text.length : newline;
  const start = wholeWord(text, Math.max(lineStart, from - REACH), lineStart, -1);
  const end = wholeWord(text, Math.min(lineEnd, to + REACH), lineEnd, 1);
  return [...wordsOf(text.slice(start, from)), ...wordsOf(text.slice(to, end))];
}

const LETTER = /\p{L}/u;

/** A word in which the reach ends counts as a whole, because its rest could look like another word. */
function wholeWord(text: string, at: number, limit: number, step: 1 | -1): number {
  while (at !== limit && LETTER.test(text[step === 1 ? at : at - 1]!)) at += step;
  return at;
}
