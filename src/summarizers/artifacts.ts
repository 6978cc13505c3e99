import { createHash } from 'node:crypto';
import type { SessionStore } from '../spi/index.js';

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
