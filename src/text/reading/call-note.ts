import {
  actionOf,
  innerCall,
  isRefused,
  parseArguments,
  verbOf,
  type Action,
  type CallArguments,
} from '../facts/index.js';
import { endingOf, namesFailure, outcomeOf, reportedOutcome, type Ending } from './ending.js';
import type { Verdict } from './replies.js';
import { oneLine, plainName } from './slices.js';
import { textOf, type LogMessage, type ToolCallPart, type ToolResultPart } from '../../transcript/index.js';
import { tellingLines } from './telling-lines.js';
import { addedText, commandLineOf, proseInArguments, textInCommand } from './written.js';

/** The subject of a call, read once, and its outcome, once it was answered. */
export interface CallNote {
  readonly seq: number;
  readonly id: string;
  readonly kind: Action['kind'];
  /** The tool; empty if the label is a command. */
  readonly tool: string;
  /** The first line of the command, the file, or the first words of the arguments. */
  readonly label: string;
  /** The whole path of that file. */
  readonly path: string | undefined;
  /** Files that a file tool changes: `paths` as the call gives them, `shortPaths` shortened to their ends. */
  readonly paths: readonly string[];
  readonly shortPaths: readonly string[];
  /** The commit message or command; undefined if the call makes no commit. */
  readonly commitText: string | undefined;
  /** Whether a filter ends the command line, so that the reported status is the filter's. */
  readonly isFiltered: boolean;
  /** Whether it writes those files whole: earlier content of the files is then obsolete. */
  readonly rewritesFiles: boolean;
  /** The most telling lines that it writes into files; '' for other calls. */
  readonly excerpt: string;
  /** The agent's own text in the call: a commit message, a plan, a report; '' if there is none. */
  readonly writtenText: string;
  ending: Ending | undefined;
  /** One line of the tool's own text on the outcome; undefined until the answer, and if there is nothing to report. */
  outcome: string | undefined;
  /** The user's verdict, if a host reports it. */
  verdict: Verdict | undefined;
}

/** Tools that wait for a call, list running work, or keep the plan (which the digest has): no actions of their own. */
const POLLS =
  /^(?:wait\w*|poll\w*|write_stdin|sleep|list_agents|bash_?output|task_?output|kill\w*|task_?(?:create|update|list|get)|todo_?\w*|write_todos|update_plan|tool_?search)$/i;
const COMMITS =
  /(?<![\w./-])git(?:\s+-[cC]\s+\S{1,200}|\s+--?[\w-]{1,40}(?:=\S{1,200})?){0,6}\s+(?:commit|revert|cherry-pick|am)(?![\w-])[^\n;&|]{0,140}/g;
const QUOTED = /'[^']{0,4000}'|(?<!\\)"(?:[^"\\]|\\.){0,4000}"/gs;
/** A repository that the call itself creates is not the session's. */
const MAKES_REPOSITORY = /(?<![\w./-])git\s[^\n;&|]{0,80}\binit\b/;
const LABEL_CHARS = 140;
const OUTCOME_CHARS = 110;
/** Most characters of an edit that may be quoted. */
const ADDED_CHARS = 560;

export function noteOf(call: ToolCallPart, { seq, id }: Pick<LogMessage, 'seq' | 'id'>): CallNote {
  const { name, args, action, line } = readCall(call);
  const isPoll = POLLS.test(call.name);
  const writes = action.touches.filter(({ how }) => how !== 'read');
  const paths = [...new Set(writes.map(({ path }) => path))];
  return {
    seq,
    id,
    kind: isPoll ? 'search' : action.kind,
    tool: line === undefined ? plainName(name) : '',
    label: isPoll ? '' : line === undefined ? labelOf(action.target, args) : commandLabel(line),
    path: line === undefined ? action.target : undefined,
    paths,
    shortPaths: [...new Set(paths.map(shortPath))],
    commitText: line === undefined ? commitTextOf(name, args) : commitIn(line),
    isFiltered: line !== undefined && isFiltered(line),
    rewritesFiles: writes.length > 0 && writes.every(({ how }) => how === 'created'),
    excerpt: paths.length > 0 ? tellingLines(addedText(args), ADDED_CHARS) : '',
    writtenText:
      line === undefined ? (action.kind === 'other' ? proseInArguments(args) : '') : textInCommand(line),
    ending: undefined,
    outcome: undefined,
    verdict: undefined,
  };
}

/** The first words of a tool that commits. */
function commitTextOf(name: string, args: CallArguments): string | undefined {
  return /(?:^|_)commit$/i.test(name) ? labelOf(undefined, args) : undefined;
}

/** Programs that pass on their input and succeed even after a failed command. */
const FILTERED =
  /\|\s{0,4}(?:tail|head|grep|rg|sed|awk|tee|cat|sort|uniq|cut|tr)\b[^|\n]*$|\|\|\s{0,4}(?:true|:|echo)\b/;

function isFiltered(line: string): boolean {
  if (!line.includes('|') || line.includes('pipefail')) return false;
  return FILTERED.test(withoutQuotes(withoutDocumentBodies(line)).trimEnd());
}

/** Blanks out quoted text, which is searched for, printed or a message, but not run. Positions stay the same. */
const withoutQuotes = (line: string): string => line.replace(QUOTED, (text) => ' '.repeat(text.length));

function commitIn(line: string): string | undefined {
  if (!line.includes('git')) return undefined;
  // A here-document is a file: this command does not run it.
  const said = withoutDocumentBodies(line);
  const bare = withoutQuotes(said);
  const last = [...bare.matchAll(COMMITS)].at(-1);
  if (last === undefined || MAKES_REPOSITORY.test(bare)) return undefined;
  const command = said.slice(last.index);
  const [message] = textInCommand(command).split('\n', 1);
  return oneLine(message || command.slice(0, last[0].length), LABEL_CHARS);
}

/** `name` and `args` are those of the inner tool if the call passes one on; `line` is the command that it runs. */
function readCall(call: ToolCallPart) {
  const outer = parseArguments(call.arguments);
  const action = actionOf(call, outer);
  const { name, args } = innerCall(call.name, outer);
  const runs = action.kind !== 'other' && action.target === undefined;
  return { name, args, action, line: runs ? commandLineOf(args) : undefined };
}

/** Records a user's verdict on a call: a refused call was never made. */
export function recordVerdict(note: CallNote, verdict: Verdict): void {
  note.verdict = verdict;
  if (verdict !== 'refused') return;
  note.ending = 'not run';
  note.outcome = undefined;
}

/** Records the outcome of a call. */
export function recordAnswer(note: CallNote, result: ToolResultPart): void {
  const text = textOf(result);
  const isError = result.isError === true;
  if (note.kind === 'run' || (note.kind === 'search' && note.tool === '')) {
    note.ending = endingOf(text, isError, note.kind === 'run' && note.isFiltered);
    note.outcome = reportedOutcome(text, note.ending);
    // A search without a match, or with an unreadable place, ends with a status of its own.
    if (note.kind === 'search' && note.ending === 'failed' && !namesFailure(note.outcome ?? '')) {
      note.ending = 'passed';
      note.outcome = undefined;
    }
    return;
  }
  // The answer to a read or a change is the file itself; only the tool's own report of a failure counts.
  const failed = (isError || isRefused(text)) && !(note.kind === 'search' && NO_MATCH.test(text));
  note.ending = failed ? 'failed' : 'passed';
  if (failed) note.outcome = oneLine(text, OUTCOME_CHARS);
}

/** Answers of a search tool without a match. */
const NO_MATCH =
  /^\W{0,4}(?:no (?:match(?:es)?|files?|results?)\b|0 (?:matches|results)\b|nothing (?:was )?found)/i;

/** The kind of a result, and the outcome of its call. */
export interface ResultNote {
  /** Whether the result shows existing content: failures in the content are then no failures of the call. */
  readonly isLook: boolean;
  readonly ending: 'failed' | 'unknown';
  /** One line of the tool's own text on the outcome; '' if there is none. */
  readonly line: string;
}

/** Reads a result by its call; by its text alone if the call is unknown. */
export function noteOfResult(call: ToolCallPart | undefined, result: ToolResultPart): ResultNote {
  const isError = result.isError === true;
  if (!call) {
    const verb = verbOf(result.name ?? '');
    const isLook = (verb === 'read' || verb === 'search') && !isError;
    const line = isLook ? '' : outcomeOf(textOf(result), isError);
    return { isLook, ending: isError ? 'failed' : 'unknown', line };
  }
  const note = noteOf(call, { seq: 0, id: '' });
  recordAnswer(note, result);
  const failed = note.ending === 'failed' || note.ending === 'not run';
  const isLook = (note.kind === 'read' || note.kind === 'search') && !failed;
  return { isLook, ending: failed ? 'failed' : 'unknown', line: isLook ? '' : (note.outcome ?? '') };
}

function labelOf(target: string | undefined, args: CallArguments): string {
  if (target !== undefined) return shortPath(target);
  const texts = Object.values(args.fields).filter((value): value is string => typeof value === 'string');
  return oneLine(args.text ?? texts[0] ?? '', 80);
}

/** `packages/core/src/pipeline/run.ts` → `…/pipeline/run.ts`: enough to recognise it. */
function shortPath(path: string): string {
  const end = `…/${path.split('/').slice(-2).join('/')}`;
  return end.length + MIN_CUT_CHARS < path.length ? end : path;
}
/** A shorter beginning stays: its removal would make the path harder to recognise. */
const MIN_CUT_CHARS = 8;

/** `cd /where/it/works && X=1 npm test`: folder and settings do not belong to the label. */
const HEAD =
  /^\s*(?:cd\s+(?:"[^"\n]{1,300}"|\S{1,300})\s*(?:&&|;|\n)|(?:export\s+)?[A-Za-z_]\w*=(?:"[^"\n]{0,300}"|[^\s;&]{0,300})(?:\s*(?:&&|;|\n)|\s+))\s*/;

/** The command's first line; a here-document is only marked. */
function commandLabel(line: string): string {
  let rest = line;
  for (let i = 0; i < 4 && HEAD.test(rest) && rest.replace(HEAD, '') !== ''; i++)
    rest = rest.replace(HEAD, '');
  return oneLine(withoutDocuments(rest.trimStart()).split('\n', 1)[0]!, LABEL_CHARS);
}

/** A here-document is a file in a command: its first line names it. */
function withoutDocuments(line: string): string {
  const document = line.search(/<<-?\s*['"]?\w+['"]?\n/);
  return document < 0 ? line : `${line.slice(0, document)}<<…`;
}

/** The start of a here-document, unless it is a commit message: `-m "$(cat <<EOF`. */
const DOCUMENT = /(?<!\$\(cat )<<-?\s{0,4}['"]?(\w{1,40})/;

/** Removes the lines of here-documents. */
function withoutDocumentBodies(line: string): string {
  let end: string | undefined;
  const kept = line.split('\n').filter((one) => {
    if (end !== undefined) {
      if (one.trim() === end) end = undefined;
      return false;
    }
    end = DOCUMENT.exec(one)?.[1];
    return true;
  });
  return kept.join('\n');
}

/** `Read src/a.ts`, or a shell's command itself: an agent's name for the step. */
export function callLabel(call: ToolCallPart): string {
  const { name, args, action, line } = readCall(call);
  if (line !== undefined) return oneLine(withoutDocuments(line), LABEL_CHARS);
  const subject = action.target ?? labelOf(undefined, args);
  return `${plainName(name)} ${oneLine(subject, LABEL_CHARS)}`.trim();
}
