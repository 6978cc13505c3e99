import type { Parsed } from '../../spi/index.js';
import { textOf, type Message } from '../../transcript/index.js';
import { instructionsIn } from '../../formats/index.js';

/** A client's whole history as it was sent. */
export interface History {
  /** The messages without commands and their answers, which the model never saw. */
  readonly messages: readonly Message[];
  /** Number of instructions at the head of the messages. */
  readonly instructions: number;
  /** The command in the newest message, which is to be executed now. */
  readonly command?: Command;
}

/** Reads a history that grows. After the instructions, only new messages are examined. */
export class HistoryReader {
  /** Positions of commands and their answers. */
  #commands: readonly number[] = [];

  /** `commands`: whether a user may give commands. */
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

/** The command that a user types into any client to compact the session now. */
const COMPACT = '/compact';

/** Beginning of an answer to a command, by which it is recognised when the client sends it back as history. */
const ANSWER_MARK = '[spillway] ';

/** Marks the answer to a command. Used by code that answers in place of the model. */
export function commandAnswer(words: string): string {
  return ANSWER_MARK + words;
}

export type Command = 'compact';

/**
 * Positions of commands and their answers in a client's history, from `from` on. A command is a user message with
 * nothing but `/compact`. If the newest message is a command, it is to be executed now.
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
