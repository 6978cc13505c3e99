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
  /**
   * Deleted, and no commit had it: calls of this session made it and none named a commit since, or runs make it again
   * each time that it was deleted. Absent otherwise.
   */
  readonly passing?: true;
}

/** What is known of a file beside that. */
interface Life {
  /** Position of the call that made it; absent where it may have been there before. */
  readonly madeAt: number | undefined;
  /** Calls that deleted it, where none did anything else to it. */
  readonly removals: number;
}

/** So often nobody deletes by mistake what is gone. */
const MADE_BY_RUNS = 3;

/** The files of a session, by replaying what its answered calls did to them. */
export class ArtifactIndex {
  readonly #byPath = new Map<string, Artifact>();
  readonly #lives = new Map<string, Life>();
  /** Of the newest call that named a commit, made or not. */
  #committed = -1;

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
        if (known === path || known.endsWith(`/${path}`)) {
          this.#lives.set(known, BEFORE);
          this.apply({ path: known, how: 'deleted' }, seq);
        }
  }

  /** A call that may commit what has been made up to it. */
  mayCommit(seq: number): void {
    this.#committed = seq;
  }

  apply(touch: Touch, seq: number): void {
    const known = this.#byPath.get(touch.path);
    const isRead = touch.how === 'read';
    const life = lifeAfter(this.#lives.get(touch.path), known, touch, seq);
    this.#lives.set(touch.path, life);
    const isMade = life.madeAt !== undefined && life.madeAt > this.#committed;
    const state = isRead ? (known?.state ?? 'read') : stateAfter(known, touch.how);
    const passes = state === 'deleted' && (isMade || life.removals >= MADE_BY_RUNS);
    this.#byPath.set(touch.path, {
      path: touch.path,
      state,
      first: Math.min(known?.first ?? seq, seq),
      last: Math.max(known?.last ?? seq, seq),
      changed: isRead ? (known?.changed ?? -1) : Math.max(known?.changed ?? seq, seq),
      reads: (known?.reads ?? 0) + (isRead ? 1 : 0),
      writes: (known?.writes ?? 0) + (isRead ? 0 : 1),
      ...(passes && { passing: true as const }),
    });
  }
}

const BEFORE: Life = { madeAt: undefined, removals: 0 };

function lifeAfter(life: Life | undefined, known: Artifact | undefined, { how }: Touch, seq: number): Life {
  if (how === 'created' && (!known || known.passing)) return { madeAt: seq, removals: 0 };
  if (how !== 'deleted') return { madeAt: life?.madeAt, removals: 0 };
  const isFirst = !known || life!.removals > 0;
  const isAgain = known?.state === 'deleted' && known.changed === seq;
  return { madeAt: life?.madeAt, removals: isFirst ? (life?.removals ?? 0) + (isAgain ? 0 : 1) : 0 };
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
