import { isChange, type Touch } from './touch.js';

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
  /** Made since before the newest commit, which does not name it: no commit has it. Absent otherwise. */
  readonly uncommitted?: true;
}

/** What is known of a file beside that. */
interface Life {
  /** Position of the call that made it; absent where it may have been there before. */
  readonly madeAt: number | undefined;
  /** Calls that deleted it, where none did anything else to it. */
  readonly removals: number;
  /** As the newest commit may have it; absent where nobody but calls since then made it. */
  readonly base?: Pick<Artifact, 'state' | 'changed'>;
}

/** So often nobody deletes by mistake what is gone. */
const MADE_BY_RUNS = 3;

/** The files of a session, by replaying what its answered calls did to them. */
export class ArtifactIndex {
  readonly #byPath = new Map<string, Artifact>();
  readonly #lives = new Map<string, Life>();
  /** Of the newest call that named a commit, made or not. */
  #committed = -1;
  /** Of the one before it. */
  #before = -1;
  /** What was put away, as it was. */
  #stashed: readonly Artifact[] = [];

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

  /** What git tells of files: those that a commit or a cleaning took away, whoever made them, and those that a commit does not have. */
  readGit(output: string, seq: number): void {
    // Most output is none of git's, and may be long.
    if (output.includes('Removing '))
      for (const [, path] of output.matchAll(REMOVED))
        for (const known of this.#named(path!)) this.#remove(known, seq);
    if (!output.includes(' changed') || !COMMITTED.test(output)) return;
    for (const [, path] of output.matchAll(DELETED))
      for (const known of this.#named(path!)) this.#remove(known, seq);
    if (!COUNTED.test(output) || output.includes('\n rename ') || output.includes('\n copy ')) return;
    const made = new Set([...output.matchAll(MADE)].flatMap(([, path]) => this.#named(path!)));
    for (const file of this.#byPath.values()) {
      const { uncommitted: _, ...rest } = file;
      const isNew =
        file.state === 'created' &&
        (file.uncommitted || (this.#lives.get(file.path)?.madeAt ?? -1) > this.#before);
      if (made.has(file.path)) this.#byPath.set(file.path, rest);
      else if (isNew) this.#byPath.set(file.path, { ...rest, uncommitted: true });
    }
  }

  /** Paths that end in one that is told from the top of a repository. */
  #named(path: string): string[] {
    return [...this.#byPath.keys()].filter((known) => known === path || known.endsWith(`/${path}`));
  }

  #remove(path: string, seq: number): void {
    this.#lives.set(path, BEFORE);
    this.apply({ path, how: 'deleted' }, seq);
  }

  /** A call that may commit what has been made up to it. */
  mayCommit(seq: number): void {
    this.#before = this.#committed;
    this.#committed = seq;
  }

  apply(touch: Touch, seq: number): void {
    if (touch.how === 'unstashed') return this.#unstash(seq);
    if (!isChange(touch) && touch.how !== 'read') return this.#restore(touch);
    const known = this.#byPath.get(touch.path);
    const parts = known ? [] : this.#movedOrDeleted(touch, seq);
    if (parts.length > 0) {
      for (const part of parts) this.apply(part, seq);
      return;
    }
    const isRead = touch.how === 'read';
    const life = this.#lifeAfter(known, touch, seq);
    this.#lives.set(touch.path, life);
    const isMade = life.madeAt !== undefined && life.madeAt > this.#committed;
    const state = isChange(touch) ? stateAfter(known, touch.how) : (known?.state ?? 'read');
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

  /** Of a folder that is deleted or moved, what is known to lie in it. */
  #movedOrDeleted({ path, how, from }: Touch, seq: number): Touch[] {
    const folder = `${how === 'deleted' ? path : (from ?? '')}/`;
    if (folder === '/') return [];
    return [...this.#byPath.values()]
      .filter((file) => file.path.startsWith(folder))
      .filter(({ state, changed }) =>
        how === 'deleted' ? state !== 'deleted' : state === 'deleted' && changed === seq,
      )
      .map((file) => ({
        path: how === 'deleted' ? file.path : `${path}/${file.path.slice(folder.length)}`,
        how,
      }));
  }

  /** Puts back what changed since the newest commit; what no commit has stays as it is. */
  #restore({ path, how }: Touch): void {
    const isBelow = (file: Artifact): boolean =>
      path === '.' || file.path === path || file.path.startsWith(`${path}/`);
    const undone = [...this.#byPath.values()].filter(
      (file) =>
        isBelow(file) && file.changed > this.#committed && this.#lives.get(file.path)?.base !== undefined,
    );
    if (how === 'stashed' && undone.length > 0) this.#stashed = undone;
    for (const { passing: _, ...file } of undone)
      this.#byPath.set(file.path, { ...file, ...this.#lives.get(file.path)!.base! });
  }

  #unstash(seq: number): void {
    for (const file of this.#stashed) this.#byPath.set(file.path, { ...file, changed: seq, last: seq });
    this.#stashed = [];
  }

  #lifeAfter(known: Artifact | undefined, touch: Touch, seq: number): Life {
    const life = this.#lives.get(touch.path);
    const next = lifeAfter(life, known, touch, seq);
    const base = known && known.changed > this.#committed ? life?.base : baseOf(known, touch);
    return base ? { ...next, base } : next;
  }
}

/** A file that was changed or deleted without having been made was there before. */
function baseOf(known: Artifact | undefined, { how }: Touch): Life['base'] {
  if (known && (known.state !== 'created' || known.changed >= 0))
    return { state: known.state, changed: known.changed };
  return how === 'modified' || how === 'deleted' ? { state: 'read', changed: -1 } : undefined;
}

const BEFORE: Life = { madeAt: undefined, removals: 0 };

function lifeAfter(life: Life | undefined, known: Artifact | undefined, { how }: Touch, seq: number): Life {
  if (how === 'created' && (!known || known.passing)) return { madeAt: seq, removals: 0 };
  if (how !== 'deleted') return { madeAt: life?.madeAt, removals: 0 };
  const isFirst = !known || life!.removals > 0;
  const isAgain = known?.state === 'deleted' && known.changed === seq;
  return { madeAt: life?.madeAt, removals: isFirst ? (life?.removals ?? 0) + (isAgain ? 0 : 1) : 0 };
}

/** ` 3 files changed, 10 insertions(+)`: then it names what it made as well. */
const COUNTED = /^ \d{1,6} files? changed\b/m;
/** ` create mode 100644 src/a.ts`. */
const MADE = /^ create mode \d{6} ([^\n]{1,500})$/gm;
/** `Removing src/new.ts`, as `git clean` says. */
const REMOVED = /^Removing ([^\n]{1,500}?)\/?$/gm;

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
