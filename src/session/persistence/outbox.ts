import { isIdTaken, SpillwayError } from '../../errors/index.js';
import type { SessionStore, StoredEvent, ThreadKey, UsageEntry } from '../../spi/index.js';
import { standsAnyway } from '../audit.js';

/** What goes with a write or a note. */
interface OutboxItems {
  readonly events: readonly StoredEvent[];
  readonly usage: readonly UsageEntry[];
}

/** How much of what waited was sent, and the event by whose name the store can be asked for it. */
interface Sent {
  readonly events: number;
  readonly usage: number;
  readonly last: StoredEvent;
  /** By itself, whatever the head of the thread: it may come at any time. */
  readonly isNote: boolean;
}

interface OutboxParts {
  readonly store: SessionStore;
  readonly key: ThreadKey;
  /** Nobody else's. */
  readonly writer: string;
  readonly clock: () => number;
}

/** What is kept for operators beside log and ledger, until it is stored: once, also where an answer gets lost. */
export class Outbox {
  #events: StoredEvent[] = [];
  #usage: UsageEntry[] = [];
  #named = 0;
  /** What may be stored although no answer said so. They grow: each holds the names of those before it, so that one of them is done at most. */
  #inDoubt: Sent[] = [];

  constructor(private readonly parts: OutboxParts) {}

  get usage(): readonly UsageEntry[] {
    return this.#usage;
  }

  enqueue(events: readonly StoredEvent[], usage: readonly UsageEntry[]): void {
    this.#events.push(...events);
    this.#usage.push(...usage);
  }

  /** A decision was lost to another process: what was said of it did not happen. */
  dropDecisions(): void {
    const lasts = new Set(this.#inDoubt.map(({ last }) => last));
    const standing = (count?: number): StoredEvent[] =>
      this.#events.slice(0, count).filter((event) => standsAnyway(event.kind) || lasts.has(event));
    this.#inDoubt = this.#inDoubt.map((sent) => ({ ...sent, events: standing(sent.events).length }));
    this.#events = standing();
  }

  /** Stores what waits, by itself; `resolve` comes before it. */
  async store(): Promise<void> {
    if (this.#events.length === 0 && this.#usage.length === 0) return;
    const { store, key } = this.parts;
    await this.send(({ events, usage }) => store.note(key, events, usage).then(() => true), true);
  }

  /** Sends all that waits; an answer that is undefined says that it was refused. What is added meanwhile comes behind it. */
  async send<Answer>(
    by: (waiting: OutboxItems) => Promise<Answer | undefined>,
    isNote = false,
  ): Promise<Answer | undefined> {
    const sent = this.#nameLast(isNote);
    const waiting = { events: [...this.#events], usage: [...this.#usage] };
    try {
      const answer = await by(waiting);
      if (answer !== undefined) this.#acknowledge(sent);
      // An answer can get lost behind a write that took place, and the second try is refused.
      else this.#doubt(sent);
      return answer;
    } catch (error) {
      if (isInDoubt(error) || isIdTaken(error)) this.#doubt(sent);
      throw error;
    }
  }

  /** Finds out what became of what was sent without an answer, before anything of it is sent again. */
  async resolve(): Promise<void> {
    const { store, key } = this.parts;
    let done: Sent | undefined;
    // The oldest first: one that is done meanwhile is seen by its own name, which is asked for after those it holds.
    for (const sent of this.#inDoubt) {
      const { kind, ref, id } = sent.last;
      const query = { kinds: [kind], ...(ref !== undefined && { ref }), newestFirst: true };
      const stored = await store.events(key, query);
      if (stored.some((event) => event.id === id)) done = sent;
      else if (done) break;
    }
    if (done) this.#acknowledge(done);
  }

  /** Where the thread moved on, after `resolve`: a write that was not done by then never will be. */
  settle(): void {
    this.#inDoubt = this.#inDoubt.filter(({ isNote }) => isNote);
  }

  #acknowledge({ events, usage }: Pick<Sent, 'events' | 'usage'> = { events: 0, usage: 0 }): void {
    this.#events.splice(0, events);
    this.#usage.splice(0, usage);
    this.#inDoubt = [];
  }

  #doubt(sent: Sent | undefined): void {
    if (sent && sent.last !== this.#inDoubt.at(-1)?.last) this.#inDoubt.push(sent);
  }

  /** Undefined where nothing waits. */
  #nameLast(isNote: boolean): Sent | undefined {
    const { writer, clock } = this.parts;
    const { events = 0, usage = 0 } = this.#inDoubt.at(-1) ?? {};
    // More usage alone would leave nothing to be found by.
    if (this.#events.length === events && this.#usage.length > usage)
      this.#events.push({ kind: 'usage', at: clock(), body: null });
    const last = this.#events.pop();
    if (!last) return undefined;
    const named = last.id === undefined ? { ...last, id: `${writer}/${++this.#named}` } : last;
    this.#events.push(named);
    return { events: this.#events.length, usage: this.#usage.length, last: named, isNote };
  }
}

/** Whether a write may have been done although it failed: a store says so, or says nothing that can be relied on. */
function isInDoubt(error: unknown): boolean {
  if (!(error instanceof SpillwayError)) return true;
  return error.facts.outcome === 'unknown' || (error.code === 'STORE_FAILED' && error.facts.thrown === true);
}
