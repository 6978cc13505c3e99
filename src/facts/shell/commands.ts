import { patchTouches } from '../files/patch.js';
import { normalizePath } from '../files/paths.js';
import type { ShellCommand } from './shell.js';
import { GIT_LOOKS, LOOKS, QUIET, READS, WRAPPERS } from './vocabulary.js';
import type { Touch } from '../files/touch.js';

/** What one command does. `look`: only tells something; `quiet`: neither tells nor changes; `run`: cannot be known. */
export interface Effect {
  readonly does: 'read' | 'look' | 'write' | 'quiet' | 'run';
  readonly touches: readonly Touch[];
}

const NOTHING: readonly Touch[] = [];
const QUIETLY: Effect = { does: 'quiet', touches: NOTHING };
const LOOK: Effect = { does: 'look', touches: NOTHING };
const RUN: Effect = { does: 'run', touches: NOTHING };

export function effectOf(command: ShellCommand, directory: string): Effect {
  const words = unwrapped(command.words);
  const plain = plainEffect(words, command, directory);
  const isFile = (path: string) => !path.startsWith('/dev/');
  const written = [
    ...files(command.outputs.filter(isFile), directory, 'created'),
    ...files(command.appends.filter(isFile), directory, 'modified'),
  ];
  if (![...command.outputs, ...command.appends].some(isFile)) return plain;
  return { does: plain.does === 'run' ? 'run' : 'write', touches: [...plain.touches, ...written] };
}

function plainEffect(words: readonly string[], command: ShellCommand, directory: string): Effect {
  const name = (words[0] ?? '').slice((words[0] ?? '').lastIndexOf('/') + 1);
  const flags = words.slice(1).filter((word) => word.startsWith('-'));
  const operands = words.slice(1).filter((word) => !word.startsWith('-'));
  if (name === '') return QUIETLY;
  if (QUIET.has(name)) return QUIETLY;
  if (READS.has(name)) return readEffect(name, words.slice(1), directory);
  if (name === 'sed' || name === 'gsed') return sedEffect(words.slice(1), directory);
  if (name === 'find' && words.some((word) => /^-(delete|exec|execdir|ok|fprint)/.test(word))) return RUN;
  if (LOOKS.has(name)) return LOOK;
  if (name === 'xargs') {
    const inner = words.slice(1).findIndex((word) => LOOKS.has(word) || READS.has(word));
    return inner >= 0 ? LOOK : RUN;
  }
  if (name === 'git') return gitEffect(words, command, directory);
  if (name === 'rm' || name === 'unlink') return write(files(operands, directory, 'deleted'));
  if (name === 'touch' || name === 'tee') return write(files(operands, directory, 'created'));
  if (name === 'cp' && flags.every((flag) => !/^-(r|R|a|t)/.test(flag)))
    return moved(operands, directory, 'read');
  if (name === 'mv' && flags.every((flag) => !flag.startsWith('-t')))
    return moved(operands, directory, 'deleted');
  if (name === 'apply_patch' || name === 'applypatch') {
    return write(patchTouches([...operands, ...command.documents].join('\n'), directory));
  }
  if (name === 'patch' && command.documents.length > 0)
    return write(patchTouches(command.documents.join('\n'), directory));
  if (name === 'perl' && flags.some((flag) => /^-\w*i/.test(flag)))
    return rewrites(operands.slice(-1), directory);
  const writes = FORMATTERS.get(name === 'npx' ? (words[1] ?? '') : name);
  return writes?.test(words.join(' ')) ? rewrites(operands, directory) : RUN;
}

/** Programs that write files anew, and by which words they are told to. */
const FORMATTERS: ReadonlyMap<string, RegExp> = new Map([
  ['prettier', / (?:--write|-w)\b/],
  ['eslint', / --fix\b/],
  ['oxlint', / --fix\b/],
  ['biome', / --(?:write|apply)\b/],
  ['gofmt', / -w\b/],
  ['goimports', / -w\b/],
  ['rustfmt', /^(?!.* --check\b)/],
  ['black', /^(?!.* --(?:check|diff)\b)/],
  ['isort', /^(?!.* --check)/],
  ['ruff', / format\b(?!.* --check\b)| --fix\b/],
]);

/** Of what stands behind a program the files that are named; folders say too little. */
function rewrites(operands: readonly string[], directory: string): Effect {
  return {
    does: 'run',
    touches: files(
      operands.filter((path) => ENDING.test(path)),
      directory,
      'modified',
    ),
  };
}

/** `mv a b`, `cp a b lib/`; a name without an ending that a file is moved to is a folder. */
function moved(operands: readonly string[], directory: string, how: 'read' | 'deleted'): Effect {
  const to = operands.at(-1);
  const sources = operands.slice(0, -1);
  if (to === undefined || sources.length === 0) return RUN;
  const touches = sources.flatMap((from): Touch[] => {
    const name = from.slice(from.lastIndexOf('/') + 1);
    const isInto =
      sources.length > 1 ||
      to.endsWith('/') ||
      to === '.' ||
      (ENDING.test(name) && isFolderName(to.slice(to.lastIndexOf('/') + 1)));
    const [left] = files([from], directory, how, how === 'read' ? 'cp' : undefined);
    const [made] = files([isInto ? `${to.replace(/\/$/, '')}/${name}` : to], directory, 'created');
    return left && made ? [left, { ...made, from: left.path }] : [];
  });
  return write(touches);
}

const ENDING = /[^/]\.\w{1,10}$/;

/** `lib`, not `.env`, `Dockerfile` or `LICENSE`. */
const isFolderName = (name: string): boolean => /^[a-z][\w-]*$/.test(name);

/** `head -n 20 x`, `tail -20 x`, `nl -ba x`: flags of `head` and `tail` choose a part, those of the others do not. */
function readEffect(name: string, args: readonly string[], directory: string): Effect {
  const isPart = name === 'head' || name === 'tail';
  const paths: string[] = [];
  const chosen: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!;
    if (!/^[-+]./.test(arg)) paths.push(arg);
    else if (isPart && /^-[nc]$|^--(lines|bytes)$/.test(arg)) chosen.push(`${arg}${args[++i] ?? ''}`);
    else if (isPart) chosen.push(arg);
  }
  const range = isPart ? `${name} ${chosen.join(' ')}`.trim() : undefined;
  return read(paths, directory, range);
}

function sedEffect(args: readonly string[], directory: string): Effect {
  const flags = args.filter((arg) => arg.startsWith('-'));
  const isScripted = flags.some((flag) => flag === '-e' || flag === '-f' || flag.startsWith('--expression'));
  const rest: string[] = [];
  let script = '';
  for (let i = 0; i < args.length; i++) {
    if (args[i] === '-e' || args[i] === '-f') script += args[++i] ?? '';
    else if (!args[i]!.startsWith('-')) rest.push(args[i]!);
  }
  // `sed -i '' s/a/b/ x` is how BSD spells "no backup".
  const operands = rest.filter((word) => word !== '');
  const paths = isScripted ? operands : operands.slice(1);
  if (flags.some((flag) => /^-[nErs]*i|^--in-place/.test(flag)))
    return write(files(paths, directory, 'modified'));
  return read(paths, directory, `sed ${isScripted ? script : (operands[0] ?? '')}`);
}

function gitEffect(words: readonly string[], command: ShellCommand, directory: string): Effect {
  let at = 1;
  while (at < words.length && words[at]!.startsWith('-'))
    at += words[at] === '-C' || words[at] === '-c' ? 2 : 1;
  const verb = words[at] ?? '';
  const rest = words.slice(at + 1);
  const operands = rest.filter((word) => !word.startsWith('-'));
  if (GIT_LOOKS.has(verb)) return LOOK;
  // These list when they are given nothing to work on.
  if (['branch', 'tag', 'remote'].includes(verb)) return operands.length === 0 ? LOOK : RUN;
  if (['stash', 'worktree'].includes(verb) && (operands[0] === 'list' || operands[0] === 'show')) return LOOK;
  if (words.includes('-C')) return RUN;
  if (verb === 'apply' && command.documents.length > 0)
    return write(patchTouches(command.documents.join('\n'), directory));
  if (verb === 'rm') return write(files(operands, directory, 'deleted'));
  if (verb === 'mv') return moved(operands, directory, 'deleted');
  const undone = undoneByGit(verb, rest, operands);
  return undone ? { does: 'run', touches: files(undone.paths, directory, undone.how) } : RUN;
}

/** What puts files back as the newest commit has them, or puts the work away. */
function undoneByGit(
  verb: string,
  rest: readonly string[],
  operands: readonly string[],
): { readonly paths: readonly string[]; readonly how: Touch['how'] } | undefined {
  if (verb === 'reset') return rest.includes('--hard') ? { paths: ['.'], how: 'restored' } : undefined;
  if (rest.some((word) => /^(?:--theirs|--ours|-p|--patch)$/.test(word))) return undefined;
  if (verb === 'restore')
    return rest.some((word) => word === '--staged' || word === '-S') && !rest.includes('--worktree')
      ? undefined
      : { paths: operands, how: 'restored' };
  if (verb === 'checkout') {
    const marked = rest.indexOf('--');
    // As another commit has it: changed, not put back.
    if (marked > 0 && operands[0] !== 'HEAD' && operands[0] !== rest[marked + 1]) return undefined;
    const paths =
      marked >= 0 ? rest.slice(marked + 1) : operands.filter((word) => word === '.' || ENDING.test(word));
    return paths.length > 0 && !rest.includes('-b') ? { paths, how: 'restored' } : undefined;
  }
  if (verb !== 'stash') return undefined;
  if (operands[0] === 'pop' || operands[0] === 'apply') return { paths: ['.'], how: 'unstashed' };
  if (operands[0] !== undefined && operands[0] !== 'push' && operands[0] !== 'save') return undefined;
  const marked = rest.indexOf('--');
  const paths = marked >= 0 ? rest.slice(marked + 1) : operands.slice(1).filter((word) => ENDING.test(word));
  return { paths: paths.length > 0 ? paths : ['.'], how: 'stashed' };
}

/** Skips `FOO=1`, `sudo`, `timeout 10` in front of the command that counts. */
function unwrapped(words: readonly string[]): readonly string[] {
  let at = 0;
  while (at < words.length) {
    const word = words[at]!;
    const own = WRAPPERS.get(word);
    if (own !== undefined) {
      at++;
      while (at < words.length && words[at]!.startsWith('-')) at++;
      at += own;
    } else if (/^[A-Za-z_]\w*=/.test(word)) at++;
    else break;
  }
  return words.slice(at);
}

/** Names that the shell would still expand are not known, so nothing is said of them. */
function files(paths: readonly string[], directory: string, how: Touch['how'], range?: string): Touch[] {
  return paths
    .filter((path) => path !== '-' && path !== '' && !/[$*?[\]{}\n]/.test(path))
    .map((path) => ({
      path: normalizePath(path, directory),
      how,
      ...(range === undefined ? {} : { range }),
    }));
}

/** With a name among them that is not known it is a look: only what was read in whole sight may pass for stale. */
function read(paths: readonly string[], directory: string, range?: string): Effect {
  const touches = files(paths, directory, 'read', range);
  return { does: touches.length === paths.length ? 'read' : 'look', touches };
}

function write(touches: readonly Touch[]): Effect {
  return { does: 'write', touches };
}
