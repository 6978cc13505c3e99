import { normalizePath } from '../files/paths.js';
import { innerLine, splitShell, type ShellCommand } from './shell.js';
import { effectOf, type Effect } from './commands.js';
import type { Touch } from '../files/touch.js';

/** What a whole command line does. */
export interface ShellAction {
  readonly kind: 'read' | 'write' | 'search' | 'run';
  readonly touches: readonly Touch[];
  /** How many of them stand before the last command: where the line failed, they may have been done all the same. */
  readonly before?: number;
}

const UNKNOWN: ShellAction = { kind: 'run', touches: [] };

/** So many commands and files at most, and as long a folder: a longer line is made by a program to no end of ours. */
const MOST_COMMANDS = 1_000;
const MOST_TOUCHES = 2_000;
const LONGEST_PATH = 4_096;

/** `bash -lc "..."` inside a line is read as the line itself, so often at most. */
const MAX_NESTING = 2;

/**
 * A line is a read when all it does is show files, a search when it only looks, a write when it changes files and
 * does nothing unknown. Anything else is a run, though the files it plainly touches are still told.
 */
export function shellAction(line: string, directory: string, nesting = 0): ShellAction {
  const commands = splitShell(line);
  return commands ? actionOfAll(commands, directory, nesting) : UNKNOWN;
}

/** The same for a line that was split. */
export function actionOfAll(commands: readonly ShellCommand[], directory: string, nesting = 0): ShellAction {
  if (commands.length > MOST_COMMANDS) return UNKNOWN;
  const touches: Touch[] = [];
  const does = new Set<Effect['does']>();
  let here = directory;
  let isWhole = true;
  /** Where the touches of the pipeline that a filter stands in begin. */
  let pipeline = 0;
  let before = 0;
  for (const command of commands) {
    if (!command.piped) pipeline = touches.length;
    const inner = innerLine(command.words);
    if (inner !== undefined && nesting < MAX_NESTING) {
      const action = shellAction(inner, here, nesting + 1);
      if (command.ends === '') before = touches.length + (action.before ?? 0);
      if (touches.length + action.touches.length > MOST_TOUCHES) return UNKNOWN;
      touches.push(...action.touches);
      does.add(action.kind === 'search' ? 'look' : action.kind);
      continue;
    }
    const effect = effectOf(command, here);
    if (command.words[0] === 'cd') {
      const to = command.words[1] ?? '~';
      if (to === '-' || to.includes('$')) return UNKNOWN;
      here = normalizePath(to, here);
      if (here.length > LONGEST_PATH) return UNKNOWN;
    }
    if (touches.length + effect.touches.length > MOST_TOUCHES) return UNKNOWN;
    if (command.ends === '') before = pipeline;
    const isFilter =
      command.piped && effect.touches.length === 0 && (effect.does === 'look' || effect.does === 'read');
    if (isFilter) narrow(touches, pipeline, command);
    else does.add(effect.does);
    if (effect.does === 'read' && effect.touches.length === 0 && !isFilter) isWhole = false;
    touches.push(...effect.touches);
  }
  return { kind: kindOf(does, isWhole), touches, before };
}

function kindOf(does: ReadonlySet<Effect['does']>, isWhole: boolean): ShellAction['kind'] {
  if (does.has('run')) return 'run';
  if (does.has('write')) return 'write';
  if (does.has('look') || (does.has('read') && !isWhole)) return 'search';
  return does.has('read') ? 'read' : 'run';
}

/** `cat x | grep y` shows a part of x: the filter becomes part of the range of what its pipeline read. */
function narrow(touches: Touch[], from: number, filter: ShellCommand): void {
  for (let i = from; i < touches.length; i++) {
    const touch = touches[i]!;
    if (touch.how === 'read')
      touches[i] = { ...touch, range: `${touch.range ?? ''}|${filter.words.join(' ')}` };
  }
}

/** A command given as a list of words, as a line. */
export function joinWords(words: readonly string[]): string {
  return words
    .map((word) => (/^[\w./:=,@+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(' ');
}
