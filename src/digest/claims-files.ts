import type { Artifact } from '../facts/index.js';
import { oneLine, quoted, type Claim, type StatementIndex } from '../reading/index.js';

/** Temporary folders of machines and agents: what was written there is no work. */
const TEMPORARY =
  /^(?:\/tmp\/|\/private\/tmp\/|\/var\/folders\/|\/dev\/)|\/(?:scratchpad|\.claude\/projects|node_modules)\//;

/** Files that the work changed, the newest change first. What came and went with it only where `isNamed`. */
export function changedFiles(
  artifacts: Iterable<Artifact>,
  isNamed: (file: Artifact) => boolean,
): Artifact[] {
  return (
    oneEach([...artifacts].filter(({ state }) => state !== 'read'))
      .filter(({ path }) => !TEMPORARY.test(path))
      .filter((file) => !file.passing || isNamed(file))
      // A folder that was taken away is often made again by a build that nobody can see.
      .filter(({ state, path }) => state !== 'deleted' || /\.\w{1,10}$/.test(path))
      .sort((a, b) => b.last - a.last)
  );
}

/** A file that calls name by its whole path, and others from a folder that they went to, is told once: as it became last. */
function oneEach(files: readonly Artifact[]): Artifact[] {
  const whole = files.filter(({ path }) => path.startsWith('/'));
  const byPath = new Map(files.map((file) => [file.path, file]));
  for (const file of files) {
    if (file.path.startsWith('/') || !file.path.includes('/')) continue;
    const same = whole.filter(({ path }) => path.endsWith(`/${file.path}`));
    if (same.length !== 1) continue;
    byPath.delete(file.path);
    if (file.changed > byPath.get(same[0]!.path)!.changed)
      byPath.set(same[0]!.path, { ...file, path: same[0]!.path });
  }
  return [...byPath.values()];
}

/** What passed says nothing of what was written behind it. */
export function withLaterChanges(check: Claim, changed: readonly Artifact[]): Claim {
  const later = changed.filter((artifact) => artifact.changed > check.seq).length;
  if (later === 0) return check;
  return { ...check, text: `${check.text}; ${later} file${later === 1 ? '' : 's'} changed since` };
}

/** Names the newest commit, so that what changed since can be told apart. */
export function filesTitle({ newest, madeNone }: StatementIndex['commits']): string {
  const title = 'Files changed in this session';
  if (newest) return `${title}, newest commit ${quoted(newest.line)} [${newest.id}]:`;
  return madeNone ? `${title}, no call made a commit:` : `${title}:`;
}

/** One line a state, newest first, paths below the folder that most of them share; those changed since the newest commit before others. */
export function fileLines(
  changed: readonly Artifact[],
  commit: { readonly seq: number } | undefined,
  chars: number,
): string[] {
  if (changed.length === 0) return [];
  const folder = commonFolder(changed.map(({ path }) => path));
  let left = chars;
  let unnamed = 0;
  const linesOf = (some: readonly Artifact[], cut: number, when: string): string[] =>
    (['modified', 'created', 'deleted'] as const).flatMap((state) => {
      const paths = some.filter((artifact) => artifact.state === state).map(({ path }) => path.slice(cut));
      const named: string[] = [];
      const head = `- ${state}${when}: `;
      for (const path of paths) {
        if (path.length + 2 > left - head.length) break;
        left -= path.length + 2;
        named.push(path);
      }
      unnamed += paths.length - named.length;
      return named.length > 0 ? [head + named.map((path) => oneLine(path, 300)).join(', ')] : [];
    });
  const inTime = (some: readonly Artifact[], cut: number): string[] => {
    if (!commit) return linesOf(some, cut, '');
    const isLater = (artifact: Artifact): boolean =>
      artifact.changed > commit.seq || artifact.uncommitted === true;
    return [
      ...linesOf(
        some.filter(isLater).map((artifact) => sinceThen(artifact, commit.seq)),
        cut,
        ' since that commit',
      ),
      ...linesOf(
        some.filter((artifact) => !isLater(artifact)),
        cut,
        ' before it',
      ),
    ];
  };
  const isBelow = ({ path }: Artifact): boolean => path.startsWith(folder);
  const below = inTime(changed.filter(isBelow), folder.length);
  // Before the folder is named: they may stand anywhere.
  const elsewhere = inTime(
    changed.filter((artifact) => !isBelow(artifact)),
    0,
  );
  const head = folder === '' || below.length === 0 ? [] : [`- below ${oneLine(folder, 300)}`];
  return [...elsewhere, ...head, ...below, ...(unnamed > 0 ? [`- and ${unnamed} more`] : [])];
}

/** What was made before a commit and changed behind it is modified since. */
function sinceThen(artifact: Artifact, commit: number): Artifact {
  const isOlder = artifact.state === 'created' && artifact.first < commit && !artifact.uncommitted;
  return isOlder ? { ...artifact, state: 'modified' } : artifact;
}

/** The folder that spares most when it is named once, of paths that name their root. Ends in a slash; '' where none does. */
function commonFolder(all: readonly string[]): string {
  const rooted = all.filter((path) => /^(?:\/|[A-Za-z]:[\\/])/.test(path));
  const paths = rooted.length > 0 ? rooted : all;
  const below = new Map<string, number>();
  for (const path of paths)
    for (let end = path.lastIndexOf('/'); end >= LEAST_FOLDER_CHARS; end = path.lastIndexOf('/', end - 1)) {
      const folder = path.slice(0, end + 1);
      below.set(folder, (below.get(folder) ?? 0) + 1);
    }
  let best = '';
  let most = 0;
  for (const [folder, files] of below) {
    const spared = (files - 1) * folder.length;
    if (files < 2 || (files < paths.length && spared < LEAST_SPARED_CHARS)) continue;
    if (spared > most || (spared === most && folder.length > best.length)) [best, most] = [folder, spared];
  }
  return best;
}

/** A shorter folder is worth no line. */
const LEAST_FOLDER_CHARS = 8;
/** Where other files stand beside the folder, it takes lines of its own: it must spare more. */
const LEAST_SPARED_CHARS = 120;
