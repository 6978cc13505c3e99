import { createHash } from 'node:crypto';
import type { SessionStore, StoredArtifact } from '../spi/index.js';
import { settledOrAborted } from './call.js';

/** A text that was paid for. */
export interface Artifact {
  readonly text: string;
  readonly model: string;
  /** Set where its writer was shown what comes behind its source: it is for a conversation that goes on so, and for no other. */
  readonly behind?: Behind | undefined;
}

/** How a conversation goes on behind a span. */
export interface Behind {
  /** So many messages. */
  readonly count: number;
  /** Of what they say. */
  readonly hash: string;
}

/** Where bought text is kept, by what it was bought for: the first one stays, for every process on it. */
export type KeepsText = Pick<SessionStore, 'artifact' | 'keepArtifact'>;

/** Texts that are kept in memory; of more, those that were bought first go. */
const MOST_TEXTS = 1_000;

/** Keeps it for this process. */
export function memoryOfTexts(): KeepsText {
  const kept = new Map<string, StoredArtifact>();
  return {
    artifact: async (key) => kept.get(key),
    async keepArtifact(key, artifact) {
      const first = kept.get(key) ?? artifact;
      kept.set(key, first);
      if (kept.size > MOST_TEXTS) kept.delete(kept.keys().next().value!);
      return first;
    },
  };
}

function asBought({ text, body }: StoredArtifact): Artifact {
  const { model, behind } = (body ?? {}) as { readonly model?: unknown; readonly behind?: Behind };
  return { text, model: typeof model === 'string' ? model : '', behind };
}

/** Hash of everything that decides what a text says: two lists never give the same one. */
export function artifactKey(...asked: readonly (string | readonly string[])[]): string {
  const hash = createHash('sha256');
  for (const part of asked) {
    const pieces = typeof part === 'string' ? [part] : part;
    hash.update(`${pieces.length};`);
    for (const piece of pieces) hash.update(`${piece.length}:${piece}`);
  }
  return hash.digest('hex');
}

interface Purchase {
  /** What it is bought for. */
  readonly key: string;
  readonly maxTokens: number;
  /** Of what comes behind its source, where the text may tell of that. */
  readonly behind?: Behind | undefined;
  /** Whether a text that somebody bought is short enough here, and for a conversation that goes on as this one does. */
  readonly fits: (artifact: Artifact) => boolean;
  /** The call itself; made only where nobody has the text or is buying it. */
  readonly make: () => Promise<Artifact>;
  readonly signal: AbortSignal;
}

/**
 * Buys each text once, whatever became of the plan it was for: who asks for what is being bought already waits for it, and
 * buys it only if that fails. A store that is away costs a call, never a compaction.
 */
export class BoughtOnce {
  readonly #running = new Map<string, Promise<Artifact>>();

  constructor(private readonly store: KeepsText) {}

  async buy(purchase: Purchase): Promise<Artifact> {
    const { key, fits, signal } = purchase;
    for (let running; (running = this.#running.get(key));) {
      const theirs = await settledOrAborted(
        running.catch(() => undefined),
        signal,
      );
      if (theirs && fits(theirs)) return theirs;
    }
    const buying = this.#findOrMake(purchase).finally(() => this.#running.delete(key));
    // Set before anything is awaited, so that nobody slips in between looking and buying.
    this.#running.set(key, buying);
    return buying;
  }

  async #findOrMake({ key, maxTokens, behind, fits, make }: Purchase): Promise<Artifact> {
    const { store } = this;
    const find = (at: string) => safely(async () => store.artifact(at));
    const known = await find(key);
    if (known && fits(known)) return known;
    // The first text under a key stays, so one that had more room, or was written for another conversation, leaves this a key of its own.
    const own = known ? `${key}:${maxTokens}:${behind?.hash ?? ''}` : key;
    const narrow = known && (await find(own));
    if (narrow && fits(narrow)) return narrow;
    const made = await make();
    const { text, model } = made;
    const body = { model, ...(behind && { behind: { ...behind } }) };
    const kept = (await safely(async () => store.keepArtifact(own, { text, body }))) ?? made;
    return fits(kept) ? kept : made;
  }
}

const safely = (ask: () => Promise<StoredArtifact | undefined>): Promise<Artifact | undefined> =>
  ask().then(
    (stored) => stored && asBought(stored),
    () => undefined,
  );
