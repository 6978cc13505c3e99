import type {
  EventQuery,
  Json,
  LedgerEntry,
  SearchHit,
  StoredEvent,
  StoredThread,
  ThreadHead,
  ThreadInfo,
  ThreadKey,
  ThreadWrite,
  UsageEntry,
} from '../../spi/index.js';
import type { LogMessage } from '../../transcript/index.js';
import { headAfter, idTaken } from '../fault.js';
import { summed } from '../usage.js';
import { frozenCopy } from './frozen.js';
import { MessageRanking } from './ranking.js';

/** One thread, all of it in memory. */
export class MemoryThread {
  readonly messages: LogMessage[] = [];
  readonly entries: LedgerEntry[] = [];
  usage: readonly UsageEntry[] = [];
  readonly #key: ThreadKey;
  readonly #createdAt: number;
  #updatedAt: number;
  readonly #byId = new Map<string, LogMessage>();
  readonly #events: StoredEvent[] = [];
  readonly #ranking = new MessageRanking();
  #checkpoint: { readonly body: Json; readonly at: ThreadHead } | undefined;

  constructor(key: ThreadKey, now: number) {
    this.#key = { sessionId: key.sessionId, agentPath: key.agentPath };
    this.#createdAt = this.#updatedAt = now;
  }

  get head(): ThreadHead {
    return { messages: this.messages.length, entries: this.entries.length };
  }

  get info(): ThreadInfo {
    return { ...this.#key, head: this.head, createdAt: this.#createdAt, updatedAt: this.#updatedAt };
  }

  get stored(): StoredThread {
    const checkpoint = this.#checkpoint;
    return {
      head: this.head,
      ...(checkpoint && { checkpoint: checkpoint.body, checkpointAt: checkpoint.at }),
    };
  }

  /** Everything that may fail comes before the first change. */
  write(expected: ThreadHead, write: ThreadWrite, now: number): ThreadHead | undefined {
    if (expected.messages !== this.messages.length || expected.entries !== this.entries.length)
      return undefined;
    const messages = frozenCopy(write.messages ?? []);
    for (const { id } of messages) if (this.#byId.has(id)) throw idTaken(id);
    const entries = frozenCopy(write.entries ?? []);
    const head = headAfter(expected, write);
    const checkpoint =
      write.checkpoint === undefined ? this.#checkpoint : { body: frozenCopy(write.checkpoint), at: head };
    this.note(write.events ?? [], write.usage ?? [], now);
    for (const message of messages) {
      this.messages.push(message);
      this.#byId.set(message.id, message);
    }
    for (const entry of entries) this.entries.push(entry);
    this.#checkpoint = checkpoint;
    return head;
  }

  note(events: readonly StoredEvent[], usage: readonly UsageEntry[], now: number): void {
    for (const event of frozenCopy(events)) this.#events.push(event);
    this.usage = summed([...this.usage, ...frozenCopy(usage)]);
    this.#updatedAt = Math.max(this.#updatedAt, now);
  }

  message(id: string): LogMessage | undefined {
    return this.#byId.get(id);
  }

  events({ kinds, ref, newestFirst, limit }: EventQuery): StoredEvent[] {
    const found = this.#events.filter(
      (event) => (!kinds || kinds.includes(event.kind)) && (ref === undefined || event.ref === ref),
    );
    if (newestFirst) found.reverse();
    return limit === undefined ? found : found.slice(0, Math.max(0, limit));
  }

  search(query: string, limit: number): SearchHit[] {
    return this.#ranking.search(this.messages, query, limit);
  }
}
