import { createHash } from 'node:crypto';
import { isToolCall, type Message } from '../../transcript/index.js';
import { inWords } from '../record.js';
import { wellFormed } from './drafts.js';
import { SAID, type Report } from './repairs.js';
import type { Call } from './results-behind-calls.js';

/** OpenAI's and Anthropic's limit: a longer id of a call is answered with 400. */
const LONGEST = 64;

/**
 * The id of a call as a provider takes it: the log's own, or one made from it. The same source gives the same id, so that
 * both sides of a pair agree, and two sources never give one.
 */
export function legalId(id: string, legal: RegExp): string {
  if (legal.test(id)) return id;
  const hash = createHash('sha256').update(id).digest('hex').slice(0, 16);
  return `${id.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, LONGEST - hash.length - 1)}_${hash}`;
}

/** Gives each call an id of its own: one that was used before gets a number, within the limit. */
export class CallIds {
  readonly #reserved: ReadonlySet<string>;
  readonly #taken = new Set<string>();
  readonly #counts = new Map<string, number>();

  /** `reserved`: ids that only those get whose they are. */
  constructor(reserved: Iterable<string> = []) {
    this.#reserved = new Set(reserved);
  }

  take(id: string): string {
    let count = this.#counts.get(id) ?? 1;
    let free = id;
    while (this.#taken.has(free) || (free !== id && this.#reserved.has(free)))
      free = `${id.slice(0, LONGEST - 8)}_${++count}`;
    this.#counts.set(id, count);
    this.#taken.add(free);
    return free;
  }
}

/** Ids that every provider takes. */
export const LEGAL_ID = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * The calls of one message, under other ids where two share one, or one cannot be encoded. (The same id in
 * another message is no harm: it pairs with the results that follow it there.) Those of a message
 * that did not come in this format have ids that every provider takes, and names where they came in another one; its own
 * provider's are what that one made, and what its host names it has tools for.
 */
export function callsIn({ parts, wireFormat }: Message, report: Report, isForeign: boolean): Call[] {
  const isNamedElsewhere = isForeign && wireFormat !== undefined;
  const made = parts.filter(isToolCall).map(({ callId, name }) => {
    const sound = wellFormed(callId);
    const id = isForeign ? legalId(sound, LEGAL_ID) : sound;
    return { callId, id, tool: isNamedElsewhere ? toolName(name, report) : name };
  });
  const ids = new CallIds(made.map(({ id }) => id));
  if (made.some(({ callId }) => !callId.isWellFormed())) report('lone-surrogate', SAID.surrogates);
  return made.map(({ callId, id: sound, tool }) => {
    const wireId = ids.take(sound);
    if (wireId !== sound)
      report('call-id', `two calls of one message are called ${sound}; one is sent as ${wireId}`);
    return { callId, wireId, tool };
  });
}

/** A tool's name by OpenAI's and Anthropic's rule; those of other providers may hold dots and slashes. */
export function toolName(name: unknown, report: Report): string {
  const own = inWords(name ?? '');
  const legal = own.replace(/[^a-zA-Z0-9_-]+/g, '_').slice(0, 128) || 'unknown';
  if (legal !== name) report('tool-name', SAID.toolName(own, legal));
  return legal;
}
