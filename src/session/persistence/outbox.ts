import { isIdTaken, SpillwayError } from '../../errors/index.js';
import type { SessionStore, StoredEvent, ThreadKey, UsageEntry } from '../../spi/index.js';
import { survivesConflict } from '../audit.js';

/** The items that are stored with a write or a note. */
interface OutboxItems {
  readonly events: readonly StoredEvent[];
  readonly usage: readonly UsageEntry[];
}

/** The number of items that were sent, and the event by whose id the store can be asked for them. */
interface Sent {
  readonly events: number;
  readonly usage: number;
  readonly last: StoredEvent;
  /** A note does not depend on the head of the thread, so the store may complete it at any time. */
  readonly isNote: boolean;
}

interface OutboxParts {
  readonly store: SessionStore;
  readonly key: ThreadKey;
  /** An id that no other writer has. */
  readonly writer: string;
  readonly clock: () => number;
}

/** Keeps events and usage until they are stored: exactly once, even if the answer to a write gets lost. */
export class Outbox {
  #events: StoredEvent[] = [];
  #usage: UsageEntry[] = [];
  #named = 0;
  /** Sends that may have been stored without an answer. Each includes the earlier ones, so at most one was done. */
  #doubtful: Sent[] = [];

  constructor(private readonly parts: OutboxParts) {}

  get usage(): readonly UsageEntry[] {
    return this.#usage;
  }

  enqueue(events: readonly StoredEvent[], usage: readonly UsageEntry[]): void {
    this.#events.push(...events);
    this.#usage.push(...usage);
  }

  /** Drops the events about a decision that was dropped because another process wrote first. */
  dropDecisions(): void {
    const lasts = new Set(this.#doubtful.map(({ last }) => last));
    const kept = (count?: number): StoredEvent[] =>
      this.#events.slice(0, count).filter((event) => survivesConflict(event.kind) || lasts.has(event));
    this.#doubtful = this.#doubtful.map((sent) => ({ ...sent, events: kept(sent.events).length }));
    this.#events = kept();
  }

  /** Stores the waiting items as a note. Call `resolve` first. */
  async store(): Promise<void> {
    if (this.#events.length === 0 && this.#usage.length === 0) return;
    const { store, key } = this.parts;
    await this.send(({ events, usage }) => store.note(key, events, usage).then(() => true), true);
  }

  /** Sends all waiting items. An undefined answer means a refused write. New items wait for the next send. */
  async send<Answer>(
    by: (waiting: OutboxItems) => Promise<Answer | undefined>,
    isNote = false,
  ): Promise<Answer | undefined> {
    const sent = this.#nameLast(isNote);
    const waiting = { events: [...this.#events], usage: [...this.#usage] };
    try {
      const answer = await by(waiting);
      if (answer !== undefined) this.#acknowledge(sent);
      // The answer to a successful write may have been lost, so that the second try is refused.
      else this.#doubt(sent);
      return answer;
    } catch (error) {
      if (isInDoubt(error) || isIdTaken(error)) this.#doubt(sent);
      throw error;
    }
  }

  /** Finds out whether sends without an answer were stored, before their items are sent again. */
  async resolve(): Promise<void> {
    const { store, key } = this.parts;
    let done: Sent | undefined;
    // Oldest first: a send that completes meanwhile is found by its own event, which is looked up later.
    for (const sent of this.#doubtful) {
      const { kind, ref, id } = sent.last;
      const query = { kinds: [kind], ...(ref !== undefined && { ref }), newestFirst: true };
      const stored = await store.events(key, query);
      if (stored.some((event) => event.id === id)) done = sent;
      else if (done) break;
    }
    if (done) this.#acknowledge(done);
  }

  /** Called after `resolve` when the thread has changed: a write that is not stored by then never will be. */
  settle(): void {
    this.#doubtful = this.#doubtful.filter(({ isNote }) => isNote);
  }

  #acknowledge({ events, usage }: Pick<Sent, 'events' | 'usage'> = { events: 0, usage: 0 }): void {
    this.#events.splice(0, events);
    this.#usage.splice(0, usage);
    this.#doubtful = [];
  }

  #doubt(sent: Sent | undefined): void {
    if (sent && sent.last !== this.#doubtful.at(-1)?.last) this.#doubtful.push(sent);
  }

  /** Gives the last waiting event an id. Undefined if nothing waits. */
  #nameLast(isNote: boolean): Sent | undefined {
    const { writer, clock } = this.parts;
    const { events = 0, usage = 0 } = this.#doubtful.at(-1) ?? {};
    // Usage has no id to be found by, so new usage without a new event gets an event.
    if (this.#events.length === events && this.#usage.length > usage)
      this.#events.push({ kind: 'usage', at: clock(), body: null });
    const last = this.#events.pop();
    if (!last) return undefined;
    const named = last.id === undefined ? { ...last, id: `${writer}/${++this.#named}` } : last;
    this.#events.push(named);
    return { events: this.#events.length, usage: this.#usage.length, last: named, isNote };
  }
}

/** Whether a failed write may have been done: the store says so, or its error is not reliable. */
function isInDoubt(error: unknown): boolean {
  if (!(error instanceof SpillwayError)) return true;
  return error.facts.outcome === 'unknown' || (error.code === 'STORE_FAILED' && error.facts.thrown === true);
}
