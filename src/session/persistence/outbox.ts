import { SpillwayError } from '../../errors/index.js';
import type { SessionStore, StoredEvent, ThreadKey, UsageEntry } from '../../spi/index.js';
import { standsAnyway } from '../audit.js';

/** What goes with a write or a note: events and usage, and how many of each. */
interface OutboxItems {
  readonly events: readonly StoredEvent[];
  readonly usage: readonly UsageEntry[];
}

interface OutboxParts {
  readonly store: SessionStore;
  readonly key: ThreadKey;
  /** Nobody else's. */
  readonly writer: string;
  readonly clock: () => number;
  /** Asks the store; whatever it throws says which store it was. */
  readonly guarded: <T>(ask: () => Promise<T>) => Promise<T>;
}

/** What is kept for operators beside log and ledger, until it is stored: once, also where an answer gets lost. */
export class Outbox {
  readonly #parts: OutboxParts;
  #events: StoredEvent[] = [];
  #usage: UsageEntry[] = [];
  #named = 0;
  /** A note whose answer was lost. Its first event bears a name of its own. */
  #inDoubt: (OutboxItems & { readonly first: StoredEvent }) | undefined;

  constructor(parts: OutboxParts) {
    this.#parts = parts;
  }

  /** Whether something may be stored that waits all the same. */
  get isInDoubt(): boolean {
    return this.#inDoubt !== undefined;
  }

  enqueue(events: readonly StoredEvent[], usage: readonly UsageEntry[] = []): void {
    this.#events.push(...events);
    this.#usage.push(...usage);
  }

  /** All that waits now. What is added while the store writes comes behind it. */
  get waiting(): OutboxItems {
    return { events: [...this.#events], usage: [...this.#usage] };
  }

  /** These were stored: so many of the first of each. */
  acknowledge({ events, usage }: { readonly events: number; readonly usage: number }): void {
    this.#events.splice(0, events);
    this.#usage.splice(0, usage);
  }

  /** A decision was lost to another process: what was said of it did not happen. */
  dropDecisions(): void {
    this.#events = this.#events.filter(({ kind }) => standsAnyway(kind));
  }

  /** Stores what waits, by itself. */
  async store(): Promise<void> {
    await this.resolveDoubt();
    if (this.#events.length === 0 && this.#usage.length === 0) return;
    const first = this.#nameFirst();
    const { events, usage } = this.waiting;
    const { store, key, guarded } = this.#parts;
    try {
      await guarded(() => store.note(key, events, usage));
    } catch (error) {
      if (isInDoubt(error)) this.#inDoubt = { events, usage, first };
      throw error;
    }
    this.acknowledge({ events: events.length, usage: usage.length });
  }

  /** Finds out what became of a note whose answer was lost, before anything of it is sent again. */
  async resolveDoubt(): Promise<void> {
    const sent = this.#inDoubt;
    if (!sent) return;
    const { store, key, guarded } = this.#parts;
    const { kind, ref } = sent.first;
    const query = { kinds: [kind], ...(ref !== undefined && { ref }), newestFirst: true };
    const stored = await guarded(() => store.events(key, query));
    this.#inDoubt = undefined;
    if (stored.some(({ id }) => id === sent.first.id))
      this.acknowledge({ events: sent.events.length, usage: sent.usage.length });
  }

  #nameFirst(): StoredEvent {
    const { writer, clock } = this.#parts;
    // Usage alone would leave nothing to be found by.
    if (this.#events.length === 0) this.#events.push({ kind: 'usage', at: clock(), body: null });
    const first: StoredEvent = {
      ...this.#events[0]!,
      id: this.#events[0]!.id ?? `${writer}/${++this.#named}`,
    };
    this.#events[0] = first;
    return first;
  }
}

/** A write whose answer never came: what it held, and how much of the outbox went with it. */
export interface InDoubtWrite {
  readonly messages: readonly string[];
  readonly entries: number;
  readonly events: number;
  readonly usage: number;
}

/** Whether a write may have been done although it failed: a store says so, or says nothing that can be relied on. */
export function isInDoubt(error: unknown): boolean {
  if (!(error instanceof SpillwayError)) return true;
  return error.facts.outcome === 'unknown' || (error.code === 'STORE_FAILED' && error.facts.thrown === true);
}

/** The largest of these writes that was done. They grow: each holds what those before it held. */
export async function resolveInDoubt(
  writes: readonly InDoubtWrite[],
  ownEntries: number,
  isStored: (messageId: string) => Promise<boolean>,
): Promise<InDoubtWrite | undefined> {
  for (const write of [...writes].reverse()) {
    const last = write.messages.at(-1);
    if (write.entries <= ownEntries && (last === undefined || (await isStored(last)))) return write;
  }
  return undefined;
}
