import type { Touch } from './touch.js';

/** What became of one file in this session. Positions are log positions of the calls. */
export interface Artifact {
  readonly path: string;
  /** `created` also after later changes; `read` only where nothing changed it. */
  readonly state: 'created' | 'modified' | 'deleted' | 'read';
  readonly first: number;
  readonly last: number;
  /** Of the newest call that changed it; -1 where none did. */
  readonly changed: number;
  readonly reads: number;
  readonly writes: number;
}

/** The files of a session, by replaying what its answered calls did to them. */
export class ArtifactIndex {
  readonly #byPath = new Map<string, Artifact>();

  get size(): number {
    return this.#byPath.size;
  }

  get(path: string): Artifact | undefined {
    return this.#byPath.get(path);
  }

  /** In the order in which they were first named. */
  all(): IterableIterator<Artifact> {
    return this.#byPath.values();
  }

  apply(touch: Touch, seq: number): void {
    const known = this.#byPath.get(touch.path);
    const isRead = touch.how === 'read';
    this.#byPath.set(touch.path, {
      path: touch.path,
      state: isRead ? (known?.state ?? 'read') : stateAfter(known, touch.how),
      first: Math.min(known?.first ?? seq, seq),
      last: Math.max(known?.last ?? seq, seq),
      changed: isRead ? (known?.changed ?? -1) : Math.max(known?.changed ?? seq, seq),
      reads: (known?.reads ?? 0) + (isRead ? 1 : 0),
      writes: (known?.writes ?? 0) + (isRead ? 0 : 1),
    });
  }
}

function stateAfter(known: Artifact | undefined, how: 'created' | 'modified' | 'deleted'): Artifact['state'] {
  if (how === 'deleted') return 'deleted';
  if (known?.state === 'created' || known?.state === 'deleted') return 'created';
  // A tool that says "create" over a file that was read or changed before replaces it.
  return how === 'created' && known ? 'modified' : how;
}
