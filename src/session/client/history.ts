import type { Parsed } from '../../spi/index.js';
import type { Message } from '../../transcript/index.js';
import { commandsFrom, type Command } from './command.js';

/** A client's whole history as it came, and how much of it is what came the time before. */
export interface History {
  /** Without commands and their answers: they were never said to the model. */
  readonly messages: readonly Message[];
  /** How many of the messages are instructions at the head. */
  readonly instructions: number;
  /** First of the messages, behind the instructions, that may not say what it said the time before. */
  readonly changedFrom: number;
  /** The newest message: to be done now. */
  readonly command?: Command;
}

/** Reads a history that grows. Behind the instructions only what is new is looked at. */
export class HistoryReader {
  /** Places of commands and their answers. */
  #commands: readonly number[] = [];

  /** `commands`: whether a user may give any. */
  read({ messages, changedFrom = 0 }: Parsed, commands: boolean): History {
    let instructions = 0;
    while (messages[instructions]?.role === 'system') instructions++;
    const same = Math.max(instructions, changedFrom);
    const known = commands ? this.#commands.filter((at) => at < same) : [];
    const fresh = commands ? commandsFrom(messages, same) : { at: [] };
    this.#commands = [...known, ...fresh.at];
    return {
      messages: without(messages, this.#commands),
      instructions,
      changedFrom: same - known.length,
      ...(fresh.command && { command: fresh.command }),
    };
  }
}

function without(messages: readonly Message[], places: readonly number[]): readonly Message[] {
  if (places.length === 0) return messages;
  const out = new Set(places);
  return messages.filter((_, at) => !out.has(at));
}
