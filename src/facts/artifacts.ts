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

  /** What git tells of a commit: files that it took away, whoever had deleted them. */
  readCommit(output: string, seq: number): void {
    if (!output.includes('\n delete mode ') || !COMMITTED.test(output)) return;
    for (const [, path] of output.matchAll(DELETED))
      for (const known of this.#byPath.keys())
        if (known === path || known.endsWith(`/${path}`)) this.apply({ path: known, how: 'deleted' }, seq);
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

/** `[main 7d5db0d] …`: git has just made a commit, and does not tell of an old one. */
const COMMITTED = /^\[[^\]\n]{1,120} [0-9a-f]{7,40}\] /m;
/** ` delete mode 100644 src/a.ts`, as git says after a commit; paths start at the top of the repository. */
const DELETED = /^ delete mode \d{6} ([^\n]{1,500})$/gm;

function stateAfter(known: Artifact | undefined, how: 'created' | 'modified' | 'deleted'): Artifact['state'] {
  if (how === 'deleted') return 'deleted';
  if (known?.state === 'created' || known?.state === 'deleted') return 'created';
  // A tool that says "create" over a file that was read or changed before replaces it.
  return how === 'created' && known ? 'modified' : how;
}
