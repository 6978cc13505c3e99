import { argumentLeaves, contentOf, type ChatCall, type ChatMessage } from '../support/chat.js';

const known = new WeakMap<ChatMessage, string>();

/** The text of a message that a model reads, in lines. */
export function textOfMessage(message: ChatMessage): string {
  let text = known.get(message);
  if (text === undefined) {
    text = [contentOf(message), ...(message.tool_calls ?? []).map(textOfCall)].join('\n');
    known.set(message, text);
  }
  return text;
}

/**
 * A name and arguments of one line are on the same line, as on the wire; otherwise a call that is kept whole would not
 * count as anchored. Longer arguments keep their own lines.
 */
export function textOfCall(call: ChatCall): string {
  const leaves = argumentLeaves(call);
  const short = leaves.filter((leaf) => !leaf.includes('\n'));
  const long = leaves.filter((leaf) => leaf.includes('\n'));
  return [[call.function?.name ?? '', ...short].join(' '), ...long].join('\n');
}

const WORD = /\p{L}{4,}/gu;

/** Runs of four letters or more, in lower case. */
export function wordsOf(text: string): string[] {
  return (text.match(WORD) ?? []).map((word) => word.toLowerCase());
}
