import { createHash } from 'node:crypto';
import { isToolCall, type Message } from '../../transcript/index.js';
import { asText } from '../record.js';
import { wellFormed } from './drafts.js';
import { REPAIRS, type Report } from './repairs.js';
import type { Call } from './results-after-calls.js';

/** OpenAI's and Anthropic's limit: they answer a longer call id with 400. */
const MAX_ID_CHARS = 64;

/**
 * The id of a call as a provider accepts it: the log's id, or one derived from it. The same source always gives the
 * same id, so that both sides of a pair agree; two different sources never give the same id.
 */
export function legalId(id: string, legal: RegExp): string {
  if (legal.test(id)) return id;
  const hash = createHash('sha256').update(id).digest('hex').slice(0, 16);
  return `${id.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, MAX_ID_CHARS - hash.length - 1)}_${hash}`;
}

/** Gives each call a unique id: an id that was used before gets a number, within the limit. */
export class CallIds {
  readonly #reserved: ReadonlySet<string>;
  readonly #taken = new Set<string>();
  readonly #counts = new Map<string, number>();

  /** `reserved`: ids that are given only to the calls that already have them. */
  constructor(reserved: Iterable<string> = []) {
    this.#reserved = new Set(reserved);
  }

  take(id: string): string {
    let count = this.#counts.get(id) ?? 1;
    let free = id;
    while (this.#taken.has(free) || (free !== id && this.#reserved.has(free)))
      free = `${id.slice(0, MAX_ID_CHARS - 8)}_${++count}`;
    this.#counts.set(id, count);
    this.#taken.add(free);
    return free;
  }
}

/** Ids that every provider accepts. */
export const LEGAL_ID = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * The calls of one message. A call gets another id if two calls share one, or if its id cannot be encoded. (The same id
 * in another message does no harm: it pairs with the results that follow it there.) If the message did not come in this
 * format, its ids are made legal for every provider, and so are its tool names if it came in another format. Ids of the
 * own format stay, because its provider made them; tool names stay, because the host has tools for them.
 */
export function callsIn({ parts, wireFormat }: Message, report: Report, isForeign: boolean): Call[] {
  const isNamedElsewhere = isForeign && wireFormat !== undefined;
  const made = parts.filter(isToolCall).map(({ callId, name }) => {
    const sound = wellFormed(callId);
    const id = isForeign ? legalId(sound, LEGAL_ID) : sound;
    return { callId, id, tool: isNamedElsewhere ? toolName(name, report) : name };
  });
  const ids = new CallIds(made.map(({ id }) => id));
  if (made.some(({ callId }) => !callId.isWellFormed())) report('lone-surrogate', REPAIRS.surrogates);
  return made.map(({ callId, id: sound, tool }) => {
    const wireId = ids.take(sound);
    if (wireId !== sound)
      report('call-id', `two calls of one message are called ${sound}; one is sent as ${wireId}`);
    return { callId, wireId, tool };
  });
}

/** A tool's name by OpenAI's and Anthropic's rule; names of other providers may contain dots and slashes. */
export function toolName(name: unknown, report: Report): string {
  const own = asText(name ?? '');
  const legal = own.replace(/[^a-zA-Z0-9_-]+/g, '_').slice(0, 128) || 'unknown';
  if (legal !== name) report('tool-name', REPAIRS.toolName(own, legal));
  return legal;
}
