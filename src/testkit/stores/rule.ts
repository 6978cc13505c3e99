import type { LedgerEntry, SessionStore, StoredEvent, ThreadKey, UsageEntry } from '../../spi/index.js';
import { NO_SIZE, type LogMessage, type Part } from '../../transcript/index.js';
import type { ContractRule } from '../rule.js';

/** Opens the store under test: empty at the first call, the very same at each later call, as for a second process. */
export type OpenStore = () => Promise<SessionStore>;

/** A rule for stores. */
export interface StoreRule extends ContractRule<OpenStore> {
  /** Whether the rule opens the store more than once: only for stores that outlive the process that opened them. */
  readonly reopens: boolean;
  check(open: OpenStore): Promise<void>;
}

/** A rule that opens one store. */
export const rule = (
  id: string,
  intent: string,
  check: (store: SessionStore) => Promise<void>,
): StoreRule => ({ id, intent, reopens: false, check: async (open) => check(await open()) });

/** A rule for stores that outlive the process that opened them. */
export const reopenRule = (
  id: string,
  intent: string,
  check: (open: OpenStore) => Promise<void>,
): StoreRule => ({ id, intent, reopens: true, check });

export const KEY: ThreadKey = { sessionId: 'session', agentPath: 'primary' };
export const START = { messages: 0, entries: 0 };

/** A message at `seq`, with a unique id. */
export function message(seq: number, text: string, more: Partial<LogMessage> = {}): LogMessage {
  return {
    id: `m${seq}`,
    seq,
    role: 'user',
    origin: 'user',
    parts: [{ type: 'text', text }],
    size: {
      ...NO_SIZE,
      tokens: 7,
      bytes: text.length,
      parts: [{ tokens: 4, bytes: text.length, images: 0 }],
    },
    ...more,
  };
}

export function reply(seq: number, ...parts: Part[]): LogMessage {
  return message(seq, '', { role: 'assistant', origin: 'model', parts });
}

/** `count` messages from `seq` on. */
export function messagesFrom(seq: number, count: number): LogMessage[] {
  return Array.from({ length: count }, (_, i) => message(seq + i, `text ${seq + i}`));
}

export function entry(number: number): LedgerEntry {
  return { kind: 'commit', at: 1_000 + number, body: { number, words: ['a', null, true] } };
}

export function event(kind: string, at: number, ref?: string): StoredEvent {
  return { kind, id: `${kind} ${at}`, at, body: { at }, ...(ref !== undefined && { ref }) };
}

export function usage(line: UsageEntry['line'], model: string, calls: number): UsageEntry {
  return {
    line,
    model,
    calls,
    inputTokens: 10 * calls,
    cacheReadTokens: 20 * calls,
    cacheWriteTokens: 30 * calls,
    outputTokens: 40 * calls,
    // Not a round number of cents, and exact in binary, so that sums must be exact as well.
    cost: (0.25 + 2 ** -13) * calls,
    unpriced: calls - 1,
  };
}

export const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, i) => from + i);
