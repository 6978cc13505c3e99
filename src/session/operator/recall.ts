import { cutText } from '../../outline/index.js';
import type { SearchHit } from '../../spi/index.js';
import { SpillwayError } from '../../errors/index.js';
import { MemoryStore } from '../../storage/index.js';
import {
  partHandle,
  spanHandle,
  textOf,
  type Log,
  type LogMessage,
  type Part,
} from '../../transcript/index.js';
import type { Keeping } from '../kept/keeping.js';
import type { AgentState, SessionParts } from '../state.js';

/** By handle, by words, or both: then the words are looked for in what the handle names. */
export interface RecallRequest {
  /** As it stands in a stub or a summary: `m12`, `m12#0`, `m3..m9`. */
  readonly handle?: string;
  readonly query?: string;
  /** Most messages that a search gives. Default 5. */
  readonly limit?: number;
  /** Most tokens of the whole answer. Default 2,000; longer texts keep head and tail. */
  readonly maxTokens?: number;
}

/** One message that was read back. */
export interface Recalled {
  readonly handle: string;
  readonly role: string;
  /** The original words, secrets taken out, cut to size where they are long. */
  readonly text: string;
  readonly score?: number;
}

const LIMIT = 5;
const MAX_TOKENS = 2_000;
/** What a cut text needs to say anything. */
const LEAST_TOKENS = 40;
/** Characters around words that were found in a text. */
const AROUND_CHARS = 600;

/** The definition of the tool by which an agent reads back what was compacted; its arguments go to `session.recall`. */
export const recallTool = {
  name: 'recall',
  description:
    'Reads back the original text of earlier messages that are no longer shown. Give the handle that stands in a "[recall ...]" mark, or words to search for, or both.',
  parameters: {
    type: 'object',
    properties: {
      handle: { type: 'string', description: 'Handle of what was left out, e.g. m12, m12#0 or m3..m9.' },
      query: { type: 'string', description: 'Words to search for.' },
      limit: { type: 'integer', minimum: 1, maximum: 20, description: 'Most messages to give. Default 5.' },
    },
    additionalProperties: false,
  },
} as const;

/** Searches and reads the log of a session, superseded messages too. */
export class Recall {
  readonly #state: AgentState;
  readonly #parts: SessionParts;
  readonly #keeping: Keeping;
  /** For sessions without a store: its full-text index over the log, made when it is first asked. */
  #index: { readonly store: MemoryStore; readonly log: Log; stored: number } | undefined;

  constructor(state: AgentState, parts: SessionParts, keeping: Keeping) {
    this.#state = state;
    this.#parts = parts;
    this.#keeping = keeping;
  }

  /** Oldest first for a handle, best first for a search. Rejects with `MESSAGE_UNKNOWN` where a handle names nothing. */
  async find({ handle, query, limit = LIMIT, maxTokens = MAX_TOKENS }: RecallRequest): Promise<Recalled[]> {
    const words = query?.trim() ?? '';
    if (handle !== undefined) {
      await this.#keeping.load();
      const found = this.#named(handle).filter(({ text }) => words === '' || text.includes(words));
      return this.#bounded(words === '' ? found : found.map((one) => around(one, words)), maxTokens);
    }
    if (words === '') return [];
    const hits = await this.#search(words, limit);
    const found: Recalled[] = [];
    for (const { messageId, score } of hits) {
      const message = this.#state.log.find(messageId) ?? (await this.#keeping.message(messageId));
      if (message) found.push({ ...wordsOf(message), score });
    }
    return this.#bounded(found, maxTokens);
  }

  #named(handle: string): Recalled[] {
    const { log } = this.#state;
    const whole = log.find(handle);
    if (whole) return [wordsOf(whole)];
    const [, id, place] = /^(.*)#(\d+)$/s.exec(handle) ?? [];
    const part = id === undefined ? undefined : log.find(id)?.parts[Number(place)];
    if (part && id !== undefined) return [{ handle, role: log.find(id)!.role, text: wordsOfPart(part) }];
    // Ids may hold dots themselves: any place where both halves are messages will do.
    for (let at = handle.indexOf('..'); at >= 0; at = handle.indexOf('..', at + 1)) {
      const [from, to] = [log.find(handle.slice(0, at)), log.find(handle.slice(at + 2))];
      if (!from || !to) continue;
      const span = Array.from({ length: Math.max(0, to.seq - from.seq + 1) }, (_, i) => log.at(from.seq + i));
      return span.map(wordsOf);
    }
    throw new SpillwayError('MESSAGE_UNKNOWN', {
      subject: 'handle',
      found: handle,
      allowed: `${partHandle('ID', 0)}, ${spanHandle('ID', 'ID2')}, or the id of a message`,
      remedy: 'Give the handle as it stands in the mark, or search with a query.',
    });
  }

  async #search(words: string, limit: number): Promise<readonly SearchHit[]> {
    const kept = await this.#keeping.search(words, limit);
    if (kept) return kept;
    const { log } = this.#state;
    if (this.#index?.log !== log) this.#index = { store: new MemoryStore(), log, stored: 0 };
    const index = this.#index;
    const messages = Array.from({ length: log.length - index.stored }, (_, i) => log.at(index.stored + i));
    await index.store.write(KEY, { messages: index.stored, entries: 0 }, { messages });
    index.stored = log.length;
    return index.store.search(KEY, words, limit);
  }

  /** Secrets out, then each its share of what the whole answer may take. */
  #bounded(found: readonly Recalled[], maxTokens: number): Recalled[] {
    const { redact, count } = this.#parts;
    let left = maxTokens;
    return found.flatMap((one, i) => {
      const text = redact(one.text).text;
      const tokens = count(text);
      const share = Math.floor(left / (found.length - i));
      if (share < Math.min(tokens, LEAST_TOKENS)) return [];
      const cut =
        tokens <= share
          ? text
          : cutText(text, { maxTokens: share, count, handle: one.handle, knownTokens: tokens });
      left -= Math.min(tokens, share);
      return [{ ...one, text: cut }];
    });
  }
}

/** What a tool answers with: one block a message, its handle first. */
export function recalledText(found: readonly Recalled[]): string {
  if (found.length === 0) return 'Nothing was found.';
  return found.map(({ handle, role, text }) => `[${handle}] ${role}:\n${text}`).join('\n\n');
}

const KEY = { sessionId: '', agentPath: '' };

function wordsOf(message: LogMessage): Recalled {
  return {
    handle: message.id,
    role: message.role,
    text: message.parts.map(wordsOfPart).filter(Boolean).join('\n'),
  };
}

function wordsOfPart(part: Part): string {
  if (part.type === 'tool-call') return `${part.name} ${part.arguments}`;
  if (part.type === 'file') return `[file ${part.name ?? part.mediaType}, ${part.bytes} bytes]`;
  return textOf(part);
}

function around(found: Recalled, words: string): Recalled {
  const at = found.text.indexOf(words);
  const from = Math.max(0, at - AROUND_CHARS);
  const to = Math.min(found.text.length, at + words.length + AROUND_CHARS);
  const [head, tail] = [from > 0 ? '… ' : '', to < found.text.length ? ' …' : ''];
  return { ...found, text: `${head}${found.text.slice(from, to)}${tail}` };
}
