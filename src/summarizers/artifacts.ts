import { createHash } from 'node:crypto';
import type { SessionStore, StoredArtifact } from '../spi/index.js';
import { settledOrAborted } from './call.js';

/** A text that was paid for. */
export interface Artifact {
  readonly text: string;
  readonly model: string;
  /** Set if the writer was shown what follows the source; the text is valid only if a conversation continues so. */
  readonly followUp?: FollowUp | undefined;
}

/** How a conversation continues after a span. */
export interface FollowUp {
  /** The number of messages. */
  readonly count: number;
  /** The hash of their content. */
  readonly hash: string;
}

/** The store of texts, by the request each was made for: the first text remains, for every process on the store. */
export type TextStore = Pick<SessionStore, 'artifact' | 'keepArtifact'>;

/** The most texts that are kept in memory; beyond this the oldest are dropped. */
const MAX_TEXTS = 1_000;

/** Keeps texts for this process. */
export function memoryOfTexts(): TextStore {
  const kept = new Map<string, StoredArtifact>();
  return {
    artifact: async (key) => kept.get(key),
    async keepArtifact(key, artifact) {
      const first = kept.get(key) ?? artifact;
      kept.set(key, first);
      if (kept.size > MAX_TEXTS) kept.delete(kept.keys().next().value!);
      return first;
    },
  };
}

function artifactOf({ text, body }: StoredArtifact): Artifact {
  const { model, behind } = (body ?? {}) as { readonly model?: unknown; readonly behind?: FollowUp };
  return { text, model: typeof model === 'string' ? model : '', followUp: behind };
}

/** The hash of everything that determines a text; two different lists never give the same hash. */
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
  /** The key of the request. */
  readonly key: string;
  readonly maxTokens: number;
  /** How the conversation continues after the source, if the text may depend on this. */
  readonly followUp?: FollowUp | undefined;
  /** Whether an existing text is short enough here, and valid for the continuation of this conversation. */
  readonly fits: (artifact: Artifact) => boolean;
  /** The call itself; made only if the text neither exists nor is being requested. */
  readonly make: () => Promise<Artifact>;
  readonly signal: AbortSignal;
}

/**
 * Requests each text once, independent of the fate of its plan: a caller whose text is already being requested waits
 * for it, and requests it again only if that fails. If the store fails, this costs a call, never a compaction.
 */
export class TextBuyer {
  readonly #running = new Map<string, Promise<Artifact>>();

  constructor(private readonly store: TextStore) {}

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
    // Set before any await, so that no other caller starts the same request in between.
    this.#running.set(key, buying);
    return buying;
  }

  async #findOrMake({ key, maxTokens, followUp, fits, make }: Purchase): Promise<Artifact> {
    const { store } = this;
    const find = (at: string) => safely(async () => store.artifact(at));
    const known = await find(key);
    if (known && fits(known)) return known;
    // The first text under a key remains. A text with less room, or for another continuation, gets its own key.
    const own = known ? `${key}:${maxTokens}:${followUp?.hash ?? ''}` : key;
    const narrow = known && (await find(own));
    if (narrow && fits(narrow)) return narrow;
    const made = await make();
    const { text, model } = made;
    const body = { model, ...(followUp && { behind: { ...followUp } }) };
    const kept = (await safely(async () => store.keepArtifact(own, { text, body }))) ?? made;
    return fits(kept) ? kept : made;
  }
}

const safely = (ask: () => Promise<StoredArtifact | undefined>): Promise<Artifact | undefined> =>
  ask().then(
    (stored) => stored && artifactOf(stored),
    () => undefined,
  );
