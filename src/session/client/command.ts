import { textOf, type Message } from '../../transcript/index.js';

/** What a user types into any client to have the session compacted now. */
const COMPACT = '/compact';

/** How an answer to a command begins, so that it is known again when the client sends it back as history. */
const ANSWER_MARK = '[spillway] ';

/** The answer to a command, for whoever answers in the model's place. */
export function commandAnswer(words: string): string {
  return ANSWER_MARK + words;
}

/**
 * Takes commands out of a client's history, with their answers: they were never said to the model. A command is a user
 * message of nothing but `/compact`; what stands as the newest message is to be done now.
 */
export function takeCommands(messages: readonly Message[]): {
  readonly messages: readonly Message[];
  readonly command?: 'compact';
} {
  if (!messages.some(isCommand)) return { messages };
  const rest = messages.filter((message, i) => !isCommand(message) && !isAnswer(message, messages[i - 1]));
  return isCommand(messages.at(-1)!) ? { messages: rest, command: 'compact' } : { messages: rest };
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
