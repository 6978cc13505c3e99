import { createHash } from 'node:crypto';
import type { SessionStore } from '../spi/index.js';
import { settledOrAborted } from './call.js';

/** A text that was paid for. */
export interface Artifact {
  readonly text: string;
  readonly model: string;
}

/**
 * Text by what it was bought for: money never repeats, whatever became of the plan it was for. What rejects is taken
 * as not there: a store that is away costs a call, never a compaction.
 */
export interface Artifacts {
  get(key: string): Promise<Artifact | undefined>;
  /** The first one stays: resolves with what is kept now, which may be somebody else's. */
  keepFirst(key: string, artifact: Artifact): Promise<Artifact>;
}

/** Lives as long as the process. */
export class MemoryArtifacts implements Artifacts {
  readonly #kept = new Map<string, Artifact>();

  get(key: string): Promise<Artifact | undefined> {
    return Promise.resolve(this.#kept.get(key));
  }

  keepFirst(key: string, artifact: Artifact): Promise<Artifact> {
    const kept = this.#kept.get(key) ?? artifact;
    this.#kept.set(key, kept);
    return Promise.resolve(kept);
  }
}

/** Lives in a store, and is shared by every process on it. */
export function storedArtifacts(store: Pick<SessionStore, 'artifact' | 'keepArtifact'>): Artifacts {
  const read = ({ text, body }: { readonly text: string; readonly body?: unknown }): Artifact => {
    const model = (body as { readonly model?: unknown } | null | undefined)?.model;
    return { text, model: typeof model === 'string' ? model : '' };
  };
  return {
    async get(key) {
      const stored = await store.artifact(key);
      return stored && read(stored);
    },
    async keepFirst(key, { text, model }) {
      return read(await store.keepArtifact(key, { text, body: { model } }));
    },
  };
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
  /** Whether a text that somebody bought is short enough here. */
  readonly fits: (artifact: Artifact) => boolean;
  /** The call itself; made only where nobody has the text or is buying it. */
  readonly make: () => Promise<Artifact>;
  readonly signal: AbortSignal;
}

/** Buys each text once: who asks for what is being bought already waits for it, and buys it only if that fails. */
export class BoughtOnce {
  readonly #running = new Map<string, Promise<Artifact>>();

  constructor(private readonly artifacts: Artifacts) {}

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

  async #findOrMake({ key, maxTokens, fits, make }: Purchase): Promise<Artifact> {
    const find = (at: string) => this.artifacts.get(at).catch(() => undefined);
    const known = await find(key);
    if (known && fits(known)) return known;
    // The first text under a key stays, so one that had more room leaves this allowance a key of its own.
    const own = known ? `${key}:${maxTokens}` : key;
    const narrow = known && (await find(own));
    if (narrow && fits(narrow)) return narrow;
    const made = await make();
    const kept = await this.artifacts.keepFirst(own, made).catch(() => made);
    return fits(kept) ? kept : made;
  }
}
