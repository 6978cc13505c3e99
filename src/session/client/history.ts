import type { Parsed } from '../../spi/index.js';
import { textOf, type Message } from '../../transcript/index.js';
import { instructionsIn } from '../../formats/index.js';

/** A client's whole history as it came. */
export interface History {
  /** Without commands and their answers: they were never said to the model. */
  readonly messages: readonly Message[];
  /** How many of the messages are instructions at the head. */
  readonly instructions: number;
  /** The newest message: to be done now. */
  readonly command?: Command;
}

/** Reads a history that grows. Behind the instructions only what is new is looked at. */
export class HistoryReader {
  /** Places of commands and their answers. */
  #commands: readonly number[] = [];

  /** `commands`: whether a user may give any. */
  read({ messages, changedFrom = 0 }: Parsed, commands: boolean): History {
    const instructions = instructionsIn(messages);
    const same = Math.max(instructions, changedFrom);
    const known = commands ? this.#commands.filter((at) => at < same) : [];
    const fresh = commands ? commandsFrom(messages, same) : { at: [] };
    this.#commands = [...known, ...fresh.at];
    const out = new Set(this.#commands);
    return {
      messages: out.size === 0 ? messages : messages.filter((_, at) => !out.has(at)),
      instructions,
      ...(fresh.command && { command: fresh.command }),
    };
  }
}

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
function commandsFrom(
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
