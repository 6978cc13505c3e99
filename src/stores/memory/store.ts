import type {
  EventQuery,
  Json,
  LedgerEntry,
  SearchHit,
  SessionStore,
  StoredArtifact,
  StoredEvent,
  StoredThread,
  ThreadHead,
  ThreadInfo,
  ThreadKey,
  ThreadWrite,
  UsageEntry,
} from '../../spi/index.js';
import type { LogMessage } from '../../transcript/index.js';
import { checkWrite, closedFault } from '../fault.js';
import { summed } from '../usage.js';
import { frozenCopy } from './frozen.js';
import { MemoryThread } from './thread.js';

/** Keeps sessions as long as the process lives. What it hands out is frozen and shared. */
export class MemoryStore implements SessionStore {
  readonly name = 'memory';
  readonly #nowMs: () => number;
  /** By session, then by agent path. */
  readonly #sessions = new Map<string, Map<string, MemoryThread>>();
  readonly #artifacts = new Map<string, StoredArtifact>();
  readonly #values = new Map<string, Map<string, Json>>();
  #closed = false;

  constructor(nowMs: () => number = Date.now) {
    this.#nowMs = nowMs;
  }

  async load(key: ThreadKey): Promise<StoredThread | undefined> {
    return this.#find(key)?.stored;
  }

  async write(key: ThreadKey, expected: ThreadHead, write: ThreadWrite): Promise<ThreadHead | undefined> {
    checkWrite(expected, write);
    const now = this.#nowMs();
    const known = this.#find(key);
    const thread = known ?? new MemoryThread(key, now);
    const head = thread.write(expected, write, now);
    if (head && !known) this.#keep(key, thread);
    return head;
  }

  async messages(key: ThreadKey, from: number, to?: number): Promise<readonly LogMessage[]> {
    return (
      this.#find(key)?.messages.slice(Math.max(0, from), to === undefined ? undefined : Math.max(0, to)) ?? []
    );
  }

  async message(key: ThreadKey, id: string): Promise<LogMessage | undefined> {
    return this.#find(key)?.message(id);
  }

  async entries(key: ThreadKey, from: number, to?: number): Promise<readonly LedgerEntry[]> {
    return (
      this.#find(key)?.entries.slice(Math.max(0, from), to === undefined ? undefined : Math.max(0, to)) ?? []
    );
  }

  async note(
    key: ThreadKey,
    events: readonly StoredEvent[],
    usage: readonly UsageEntry[] = [],
  ): Promise<void> {
    const now = this.#nowMs();
    let thread = this.#find(key);
    if (!thread) this.#keep(key, (thread = new MemoryThread(key, now)));
    thread.note(events, usage, now);
  }

  async events(key: ThreadKey, query: EventQuery = {}): Promise<readonly StoredEvent[]> {
    return this.#find(key)?.events(query) ?? [];
  }

  async usage(of: Partial<ThreadKey> = {}): Promise<readonly UsageEntry[]> {
    return summed(this.#threads(of.sessionId, of.agentPath).flatMap((thread) => thread.usage));
  }

  async search(key: ThreadKey, query: string, limit: number): Promise<readonly SearchHit[]> {
    return this.#find(key)?.search(query, limit) ?? [];
  }

  async artifact(key: string): Promise<StoredArtifact | undefined> {
    this.#checkOpen();
    return this.#artifacts.get(key);
  }

  async keepArtifact(key: string, artifact: StoredArtifact): Promise<StoredArtifact> {
    this.#checkOpen();
    const kept = this.#artifacts.get(key) ?? frozenCopy(artifact);
    this.#artifacts.set(key, kept);
    return kept;
  }

  async value(scope: string, name: string): Promise<Json | undefined> {
    this.#checkOpen();
    return this.#values.get(scope)?.get(name);
  }

  async setValue(scope: string, name: string, value: Json | undefined): Promise<void> {
    this.#checkOpen();
    const values = this.#values.get(scope) ?? new Map<string, Json>();
    this.#values.set(scope, values);
    if (value === undefined) values.delete(name);
    else values.set(name, frozenCopy(value));
  }

  async values(scope: string): Promise<Readonly<Record<string, Json>>> {
    this.#checkOpen();
    return Object.fromEntries(this.#values.get(scope) ?? []);
  }

  async threads({ sessionId, limit }: { sessionId?: string; limit?: number } = {}): Promise<
    readonly ThreadInfo[]
  > {
    const infos = this.#threads(sessionId).map((thread) => thread.info);
    infos.reverse();
    infos.sort((a, b) => b.updatedAt - a.updatedAt);
    return limit === undefined ? infos : infos.slice(0, Math.max(0, limit));
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  #find({ sessionId, agentPath }: ThreadKey): MemoryThread | undefined {
    this.#checkOpen();
    return this.#sessions.get(sessionId)?.get(agentPath);
  }

  #keep({ sessionId, agentPath }: ThreadKey, thread: MemoryThread): void {
    const paths = this.#sessions.get(sessionId) ?? new Map<string, MemoryThread>();
    this.#sessions.set(sessionId, paths.set(agentPath, thread));
  }

  #threads(sessionId?: string, agentPath?: string): MemoryThread[] {
    this.#checkOpen();
    const sessions =
      sessionId === undefined ? [...this.#sessions.values()] : [this.#sessions.get(sessionId) ?? new Map()];
    return sessions.flatMap((paths: Map<string, MemoryThread>) =>
      agentPath === undefined ? [...paths.values()] : [paths.get(agentPath) ?? []].flat(),
    );
  }

  #checkOpen(): void {
    if (this.#closed) throw closedFault(this.name);
  }
}
