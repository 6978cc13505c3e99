import { textOf, type Message } from '../../transcript/index.js';

/** What a user types into any client to have the session compacted now. */
const COMPACT = '/compact';

/** How an answer to a command begins, so that it is known again when the client sends it back as history. */
const ANSWER_MARK = '[spillway] ';

/** The answer to a command, for whoever answers in the model's place. */
export function commandAnswer(words: string): string {
  return ANSWER_MARK + words;
}

export type Command = 'compact';

/**
 * Places of commands in a client's history, and of the answers they got, from `from` on. A command is a user message of
 * nothing but `/compact`; what stands as the newest message is to be done now.
 */
export function commandsFrom(
  messages: readonly Message[],
  from: number,
): { readonly at: readonly number[]; readonly command?: Command } {
  const at: number[] = [];
  for (let i = from; i < messages.length; i++) {
    if (isCommand(messages[i]!) || isAnswer(messages[i]!, messages[i - 1])) at.push(i);
  }
  const newest = messages.at(-1);
  return newest && isCommand(newest) ? { at, command: 'compact' } : { at };
}

function isCommand(message: Message): boolean {
  if (message.role !== 'user') return false;
  const [only, ...more] = message.parts;
  return only?.type === 'text' && more.length === 0 && only.text.trim() === COMPACT;
}

function isAnswer(message: Message, before: Message | undefined): boolean {
  if (message.role !== 'assistant' || !before || !isCommand(before)) return false;
  return message.parts.map(textOf).join('').startsWith(ANSWER_MARK);
}
