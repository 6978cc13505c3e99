import {
  actionOf,
  checksOf,
  innerCall,
  isChange,
  mayCheck,
  parseArguments,
  saysFailed,
  speaksFor,
  tellsOf,
  type Action,
  type CallArguments,
  type Check,
} from '../facts/index.js';
import { declaredNames } from './declared-names.js';
import { endingOf, type Ending } from './ending.js';
import { withoutEnvelope, withoutProtocol } from './envelope.js';
import type { Verdict } from './replies/index.js';
import { commitLine, failureLine, verdictLine } from './outcome.js';
import { runningIn } from './running.js';
import { oneLine } from './slices.js';
import { textOf, type LogMessage, type ToolCallPart, type ToolResultPart } from '../transcript/index.js';
import { tellingLines } from './telling-lines.js';
import { plainName } from './tool-name.js';
import { addedText, commandLineOf, proseInArguments, textInCommand } from './written.js';

/** What a call was about, read once, and what came of it once it was answered. */
export interface CallNote {
  readonly seq: number;
  readonly id: string;
  readonly kind: 'read' | 'write' | 'search' | 'run' | 'other';
  /** Tests, builds and linters that it runs. */
  readonly checks: readonly Check[];
  /** Of a command line: its status is that of all of it. */
  readonly isWhole: boolean;
  /** The tool, or nothing where the label is a command. */
  readonly tool: string;
  /** The command, the file, or the first words of the arguments; one line. */
  readonly label: string;
  /** Files that it changes, by their last two segments. */
  readonly changed: readonly string[];
  /** It writes those files whole: what stood in them before says nothing of them any more. */
  readonly rewrites: boolean;
  /** What it writes into files, its most telling lines; '' for other calls. */
  readonly added: string;
  /** Functions, types and tests that it declares in files, by name. */
  readonly declares: readonly string[];
  /** A text of the agent's own that it hands over: a commit message, a plan, a report; '' where there is none. */
  readonly written: string;
  ending: Ending | undefined;
  /** The tool's own words on how it ended, one line; undefined until it is answered, and where they would say nothing. */
  outcome: string | undefined;
  /** How the user took it, where a host says. */
  verdict: Verdict | undefined;
  /** Of a run that failed: the call behind it by which the same, or a check that contains it, passed. */
  mendedBy: string | undefined;
}

/** Tools that wait for another call, list what runs, or keep the plan, which claims tell: they do nothing of their own. */
const POLLS =
  /^(?:wait\w*|poll\w*|write_stdin|sleep|list_agents|bash_?output|task_?output|kill\w*|task_?(?:create|update|list|get)|todo_?\w*|write_todos|update_plan|tool_?search)$/i;
/** A pipe, a list or an alternative: the status is that of its end. */
const HIDES_STATUS = /[|;\n]|&\s*$/;
const LABEL_CHARS = 140;
const OUTCOME_CHARS = 110;
/** An output up to this length is a finding by itself. */
const SHORT_OUTPUT_CHARS = 260;
/** So much of an edit may be quoted. */
const ADDED_CHARS = 560;

export function noteOf(call: ToolCallPart, { seq, id }: Pick<LogMessage, 'seq' | 'id'>): CallNote {
  const { name, given, action, line } = readCall(call);
  const isRun = line !== undefined;
  const isPoll = POLLS.test(call.name);
  const changed = action.touches.filter(isChange).map(({ path }) => shortPath(path));
  const added = action.kind === 'write' || changed.length > 0 ? addedText(given) : '';
  // A command of one line is its own label.
  const isLabel = isRun && !added.includes('\n');
  const checks = action.kind === 'run' && mayCheck(call) ? checksOf(call) : [];
  return {
    seq,
    id,
    kind: isPoll ? 'search' : action.kind,
    checks,
    isWhole: line === undefined || !HIDES_STATUS.test(line),
    tool: isRun ? '' : plainName(name),
    label: isPoll
      ? ''
      : isRun
        ? commandLabel(line, action, checks.length > 0)
        : labelOf(action.target, given),
    changed: [...new Set(changed)],
    rewrites:
      changed.length > 0 && action.touches.every((touch) => !isChange(touch) || touch.how === 'created'),
    added: isLabel ? '' : tellingLines(added, ADDED_CHARS),
    declares: declaredNames(added),
    written: isRun ? textInCommand(line) : action.kind === 'other' ? proseInArguments(given) : '',
    ending: undefined,
    outcome: undefined,
    verdict: undefined,
    mendedBy: undefined,
  };
}

interface CallReading {
  /** The tool, or the one that it calls. */
  readonly name: string;
  readonly given: CallArguments;
  readonly action: Action;
  /** The command line, where the call runs one. */
  readonly line: string | undefined;
}

function readCall(call: ToolCallPart): CallReading {
  const outer = parseArguments(call.arguments);
  const action = actionOf(call, outer);
  const { name, given } = innerCall(call.name, outer);
  const runs = action.kind !== 'other' && (action.target === undefined || isShell(name, given));
  return { name, given, action, line: runs ? commandLineOf(given) : undefined };
}

/** Writes down how a user took a call: one that was refused was never made. */
export function judge(note: CallNote, verdict: Verdict): void {
  note.verdict = verdict;
  if (verdict !== 'refused') return;
  note.ending = 'not run';
  note.outcome = undefined;
}

/** Writes down how a call ended; `isTold`: the host tells of failures, so that what it says nothing of went well. */
export function answer(note: CallNote, result: ToolResultPart, isTold = false): void {
  const text = textOf(result);
  if (note.kind === 'run' || (note.kind === 'write' && note.tool === '')) {
    const isCheck = note.checks.length > 0;
    const tells = isCheck ? tellsOf(note.checks) : note.isWhole ? 'all' : 'words';
    const running = runningIn(text);
    const isError = result.isError === true;
    note.ending = running
      ? 'unknown'
      : endingOf(text, { isError, isCheck, tells, isTold: isTold && isCheck });
    note.outcome = running?.line ?? runOutcome(withoutEnvelope(text), note.ending, isCheck);
    return;
  }
  // What a tool says of a read or a change is the file itself; only its own word that it failed counts.
  const failed =
    result.isError === true ||
    saysFailed(text) ||
    /^\W{0,3}(?:<[\w-]+>)?\s*(?:error|failed|cannot|could not|no such|the path \S{1,200} does not exist)\b/i.test(
      text.slice(0, 300),
    );
  note.ending = failed ? 'failed' : 'passed';
  if (failed) note.outcome = oneLine(withoutProtocol(text), OUTCOME_CHARS);
}

/** Whether a run that passed shows that an earlier one, which failed, would pass as well. */
export function mends(newer: CallNote, older: CallNote): boolean {
  if (older.checks.length === 0)
    return newer.label !== '' && newer.label === older.label && newer.kind === older.kind;
  return older.checks.every((check) => newer.checks.some((whole) => speaksFor(whole, check)));
}

/** A short answer whole; of a longer one its verdict, or the line that says why it failed. */
function runOutcome(text: string, ending: Ending, isCheck: boolean): string | undefined {
  const flat = oneLine(text, SHORT_OUTPUT_CHARS);
  if (flat === '') return undefined;
  if (flat.length <= OUTCOME_CHARS || (ending !== 'failed' && text.length <= SHORT_OUTPUT_CHARS)) return flat;
  const said =
    ending === 'failed'
      ? [failureLine(text, isCheck) ?? lastLine(text), verdictLine(text)]
      : [commitLine(text) ?? verdictLine(text)];
  const lines = [...new Set(said.filter((line) => line !== undefined))];
  return lines.length > 0 ? oneLine(lines.join('; '), 2 * OUTCOME_CHARS) : undefined;
}

/** The last line of an output that says something, before the status that a tool adds. */
function lastLine(text: string): string | undefined {
  const lines = text.slice(-2_000).trimEnd().split('\n').slice(-6);
  return lines.findLast((line) => /\p{L}{3}/u.test(line) && !/^\W*(?:command )?exit(?:ed)?\b/i.test(line));
}

/** The command; of one that only reads files, the files. Settings of a check stay: without them it cannot be run again. */
function commandLabel(line: string, { kind, touches }: Action, checks: boolean): string {
  const files =
    kind === 'read' ? touches.filter(({ how }) => how === 'read').map(({ path }) => shortPath(path)) : [];
  return files.length > 0
    ? oneLine([...new Set(files)].join(', '), LABEL_CHARS)
    : oneLine(withoutDocuments(checks ? withoutFolder(line) : withoutSettings(line)), LABEL_CHARS);
}

function isShell(name: string, given: CallArguments): boolean {
  return given.text === undefined && /bash|shell|exec|terminal|command/i.test(name);
}

function labelOf(target: string | undefined, given: CallArguments): string {
  if (target !== undefined) return shortPath(target);
  const texts = Object.values(given.fields).filter((value): value is string => typeof value === 'string');
  return oneLine(given.text ?? texts[0] ?? '', 80);
}

/** `src/pipeline/run.ts` → `pipeline/run.ts`: enough to know it by. */
function shortPath(path: string): string {
  const parts = path.split('/').filter((part) => part !== '');
  return parts.slice(-2).join('/');
}

/** `cd /where/it/works && npm test`: the folder says nothing of what was done. */
const FOLDER = /^\s*cd\s+(?:"[^"\n]{1,300}"|\S{1,300})\s*(?:&&|;|\n)\s*/;
/** Of a check it does where it is one of several: `cd packages/api && npm test`. */
const WHOLE_FOLDER = /^\s*cd\s+(?:"[/~$][^"\n]{0,300}"|[/~$]\S{0,300}|\.)\s*(?:&&|;|\n)\s*/;
/** `X=1 npm run build`. */
const SETTING = /^\s*(?:export\s+)?[A-Za-z_]\w*=(?:"[^"\n]{0,300}"|[^\s;&]{0,300})(?:\s*(?:&&|;|\n)|\s+)\s*/;

const withoutFolder = (line: string): string => withoutHeads(line, [WHOLE_FOLDER]);
const withoutSettings = (line: string): string => withoutHeads(line, [FOLDER, SETTING]);

function withoutHeads(line: string, heads: readonly RegExp[]): string {
  let rest = line;
  for (let i = 0; i < 4; i++) {
    const bare = heads.reduce((text, head) => text.replace(head, ''), rest);
    if (bare === rest || bare === '') break;
    rest = bare;
  }
  return rest;
}

/** A here-document is a file in a command: its first line names it. */
function withoutDocuments(line: string): string {
  const document = line.search(/<<-?\s*['"]?\w+['"]?\n/);
  return document < 0 ? line : `${line.slice(0, document)}<<…`;
}

/** `Read src/a.ts`, or the command itself for a shell: what an agent would call the step. */
export function callLabel(call: ToolCallPart): string {
  const { name, given, action, line } = readCall(call);
  if (line !== undefined) return oneLine(withoutDocuments(line), LABEL_CHARS);
  const subject = action.target ?? labelOf(undefined, given);
  return `${plainName(name)} ${oneLine(subject, LABEL_CHARS)}`.trim();
}
