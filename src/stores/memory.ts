import type {
  EventQuery,
  Json,
  LedgerEntry,
  SessionStore,
  StoredArtifact,
  StoredEvent,
  StoredThread,
  ThreadHead,
  ThreadInfo,
  ThreadKey,
  ThreadWrite,
  UsageEntry,
} from '../spi/index.js';
import { idTaken } from '../errors/index.js';
import { NumberLiteral, type LogMessage } from '../transcript/index.js';
import { checkWrite, closedFault, headAfter, alreadyStored } from './fault.js';
import { summed } from './usage.js';

/** Keeps sessions as long as the process lives. Objects that it returns are frozen and shared. */
export function memoryStore(nowMs: () => number = Date.now): SessionStore {
  const name = 'memory';
  /** In the order in which they were begun. */
  const threads = new Map<string, MemoryThread>();
  const artifacts = new Map<string, StoredArtifact>();
  const scopes = new Map<string, Map<string, Json>>();
  let isClosed = false;
  const whileOpen = <T>(held: T): T => {
    if (isClosed) throw closedFault(name);
    return held;
  };
  const find = (key: ThreadKey): MemoryThread | undefined => whileOpen(threads).get(nameOf(key));
  const threadsOf = ({ sessionId, agentPath }: Partial<ThreadKey>): MemoryThread[] =>
    [...whileOpen(threads).values()].filter(
      ({ key }) =>
        (sessionId === undefined || key.sessionId === sessionId) &&
        (agentPath === undefined || key.agentPath === agentPath),
    );

  return {
    name,
    load: async (key) => find(key)?.stored,
    messages: async (key, from, to) => sliceOf(find(key)?.messages, from, to),
    entries: async (key, from, to) => sliceOf(find(key)?.entries, from, to),
    events: async (key, query = {}) => find(key)?.events(query) ?? [],
    usage: async (of = {}) => summed(threadsOf(of).flatMap((thread) => thread.usage)),
    artifact: async (key) => whileOpen(artifacts).get(key),
    value: async (scope, named) => whileOpen(scopes).get(scope)?.get(named),
    values: async (scope) => Object.fromEntries(whileOpen(scopes).get(scope) ?? []),

    async write(key, expected, write) {
      checkWrite(expected, write);
      const now = nowMs();
      const thread = find(key) ?? new MemoryThread(key, now);
      const head = thread.write(expected, write, now);
      if (head) threads.set(nameOf(key), thread);
      return head;
    },

    async note(key, events, usage = []) {
      const now = nowMs();
      const thread = find(key) ?? new MemoryThread(key, now);
      threads.set(nameOf(key), thread);
      thread.note(events, usage, now);
    },

    async keepArtifact(key, artifact) {
      const kept = whileOpen(artifacts).get(key) ?? frozenCopy(artifact);
      artifacts.set(key, kept);
      return kept;
    },

    async setValue(scope, named, value) {
      const values = whileOpen(scopes).get(scope) ?? new Map<string, Json>();
      scopes.set(scope, values);
      if (value === undefined) values.delete(named);
      else values.set(named, frozenCopy(value));
    },

    async threads({ sessionId, limit } = {}) {
      const infos = threadsOf({ ...(sessionId !== undefined && { sessionId }) }).map((thread) => thread.info);
      infos.reverse().sort((a, b) => b.updatedAt - a.updatedAt);
      return sliceOf(infos, 0, limit);
    },

    async close() {
      isClosed = true;
    },
  };
}

/** A unique name for each key, for any content of its ids. */
const nameOf = ({ sessionId, agentPath }: ThreadKey): string =>
  `${sessionId.length}:${sessionId}${agentPath}`;

const sliceOf = <T>(all: readonly T[] = [], from: number, to: number | undefined): T[] =>
  all.slice(Math.max(0, from), to === undefined ? undefined : Math.max(0, to));

/** One thread, all of it in memory. */
class MemoryThread {
  readonly key: ThreadKey;
  readonly messages: LogMessage[] = [];
  readonly entries: LedgerEntry[] = [];
  usage: readonly UsageEntry[] = [];
  readonly #createdAt: number;
  #updatedAt: number;
  readonly #ids = new Set<string>();
  readonly #events: StoredEvent[] = [];
  /** Ids of events that have one. */
  readonly #eventIds = new Set<string>();
  #checkpoint: Pick<StoredThread, 'checkpoint' | 'checkpointAt'> = {};

  constructor({ sessionId, agentPath }: ThreadKey, now: number) {
    this.key = { sessionId, agentPath };
    this.#createdAt = this.#updatedAt = now;
  }

  get head(): ThreadHead {
    return { messages: this.messages.length, entries: this.entries.length };
  }

  get info(): ThreadInfo {
    return { ...this.key, head: this.head, createdAt: this.#createdAt, updatedAt: this.#updatedAt };
  }

  get stored(): StoredThread {
    return { head: this.head, ...this.#checkpoint };
  }

  /** Everything that may fail comes before the first change. */
  write(expected: ThreadHead, write: ThreadWrite, now: number): ThreadHead | undefined {
    if (expected.messages !== this.messages.length || expected.entries !== this.entries.length)
      return undefined;
    const messages = frozenCopy(write.messages ?? []);
    for (const { id } of messages) if (this.#ids.has(id)) throw idTaken(id);
    const entries = frozenCopy(write.entries ?? []);
    const head = headAfter(expected, write);
    const checkpoint = write.checkpoint === undefined ? undefined : frozenCopy(write.checkpoint);
    this.note(write.events ?? [], write.usage ?? [], now);
    for (const message of messages) {
      this.messages.push(message);
      this.#ids.add(message.id);
    }
    for (const entry of entries) this.entries.push(entry);
    if (checkpoint !== undefined) this.#checkpoint = { checkpoint, checkpointAt: head };
    return head;
  }

  note(events: readonly StoredEvent[], usage: readonly UsageEntry[], now: number): void {
    if (events.some(({ id }) => id !== undefined && this.#eventIds.has(id))) throw alreadyStored('memory');
    for (const event of frozenCopy(events)) {
      this.#events.push(event);
      if (event.id !== undefined) this.#eventIds.add(event.id);
    }
    this.usage = summed([...this.usage, ...frozenCopy(usage)]);
    this.#updatedAt = Math.max(this.#updatedAt, now);
  }

  events({ kinds, ref, newestFirst, limit }: EventQuery): StoredEvent[] {
    const found = this.#events.filter(
      (event) => (!kinds || kinds.includes(event.kind)) && (ref === undefined || event.ref === ref),
    );
    return sliceOf(newestFirst ? found.reverse() : found, 0, limit);
  }
}

/**
 * A deep-frozen copy as JSON would return it; a value that is already deep-frozen is shared, not copied. Bytes cannot
 * be frozen and stay bytes, as in every store.
 */
function frozenCopy<T>(value: T): T {
  if (typeof value !== 'object' || value === null || value instanceof NumberLiteral) return value;
  if (value instanceof Uint8Array || value instanceof ArrayBuffer) return value.slice(0) as T;
  const { toJSON } = value as { readonly toJSON?: unknown };
  if (typeof toJSON === 'function') return frozenCopy(toJSON.call(value) as T);
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => frozenCopy(item));
    const same = Object.isFrozen(value) && items.every((item, i) => item === value[i]);
    return same ? value : (Object.freeze(items) as T);
  }
  const fields = Object.entries(value);
  const kept = fields
    .filter(([, field]) => field !== undefined)
    .map(([name, field]) => [name, frozenCopy(field)] as const);
  const same =
    Object.isFrozen(value) &&
    kept.length === fields.length &&
    kept.every(([, field], i) => field === fields[i]![1]);
  return same ? value : (Object.freeze(Object.fromEntries(kept)) as T);
}
