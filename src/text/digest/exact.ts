import { oneLine, quoted, type CallNote, type Plan, type PlanStep } from '../reading/index.js';
import type { Handle } from '../../transcript/index.js';
import { namesWithin } from './call-lines.js';

/** Instructions that a call read, with their handle. */
export interface LoadedInstructions {
  /** Log position of the result. */
  readonly seq: number;
  readonly label: string;
  /** Handle of the result. */
  readonly handle: string;
}

/** The state of the work that a digest gives verbatim, in addition to the talk. */
export interface WorkState {
  readonly plan?: Plan;
  /** The newest commit of the session: git's output for it, otherwise the message in the call. */
  readonly commit?: { readonly seq: number; readonly id: string; readonly text: string } | undefined;
  /** Calls of edit tools without a later commit. */
  readonly edits: readonly CallNote[];
  /** Skills and instruction files that were read. */
  readonly loaded: readonly LoadedInstructions[];
  /** Whether a commit precedes the edits. */
  readonly hasCommit: boolean;
}

/** Largest share of a digest for each kind of line, ahead of the talk. */
const PLAN_SHARE = 0.25;
const FILES_SHARE = 0.12;
const LOADED_SHARE = 0.12;
const STEP_CHARS = 200;
const MAX_STEPS = 60;

/** A plan tool's words for a finished step, in the languages of plans: finished steps get room after the open ones. */
const FINISHED =
  /^[^\p{L}❌✗✘✖]{0,8}(?:[✅✔☑✓]|(?:x|done|completed?|finished|closed|resolved|success|cancell?ed|deleted|removed|skipped|dropped|erledigt|fertig|abgeschlossen|verworfen|fait|fini|terminée?|annulée?|hecho|completad[oa]|terminad[oa]|cancelad[oa]|feito|concluíd[oa]|готово|выполнено|сделано|завершено|отменено|完成|已完成|完了|取消|已取消|완료|취소)[^\p{L}]{0,8}$)/iu;

/** The lines at the end of a digest of these messages, each kind within its share of the length. */
export function stateLines(
  { plan, commit, edits, loaded, hasCommit }: WorkState,
  range: Handle,
  chars: number,
): string[] {
  const lines = plan ? planLines(plan, PLAN_SHARE * chars) : [];
  if (commit) lines.push(`[newest commit in ${range}, ${commit.id}] ${quoted(commit.text)}`);
  // An earlier digest may name that commit.
  const since = commit ? ' since then' : hasCommit ? ` in ${range}` : '';
  const files = filesLine(edits, since, FILES_SHARE * chars);
  if (files !== undefined) lines.push(files);
  const read = loadedLine(loaded, LOADED_SHARE * chars);
  return read === undefined ? lines : [...lines, read];
}

/** The newest first. */
function loadedLine(loaded: readonly LoadedInstructions[], chars: number): string | undefined {
  const head = '[instructions that were read] ';
  const names = loaded.toReversed().map(({ label, handle }) => `${oneLine(label, 120)} [${handle}]`);
  const named = namesWithin(names, chars - head.length);
  return named.length > 0 ? head + named.join(', ') : undefined;
}

function planLines({ id, steps }: Plan, chars: number): string[] {
  const isFinished = ({ state }: PlanStep): boolean => FINISHED.test(state);
  const finished = steps.filter(isFinished);
  const open = steps.filter((step) => !isFinished(step));
  const head = `[plan, as its tool last updated it in ${id}] ${open.length} open, ${finished.length} closed:`;
  let left = chars - head.length;
  const lines = new Map<PlanStep, string>();
  // Of the finished steps the last come first: they must not be started again.
  for (const step of [...open, ...finished.toReversed()]) {
    const line = `  - ${oneLine(step.text, STEP_CHARS)} (${oneLine(step.state.replace(/[()[\]]/g, ' '), 30)})`;
    left -= line.length + 1;
    if (left < 0 || lines.size >= MAX_STEPS) break;
    lines.set(step, line);
  }
  return lines.size > 0 ? [head, ...steps.flatMap((step) => lines.get(step) ?? [])] : [];
}

/** The newest change first; paths are relative to the folder that all of them share. */
function filesLine(edits: readonly CallNote[], since: string, chars: number): string | undefined {
  const files = [...new Set(edits.toReversed().flatMap(({ paths }) => paths))];
  const folder = sharedFolder(files);
  const below = folder === '' ? '' : `, below ${folder}`;
  const head = `[files changed by edit tools${since}${oneLine(below, 200)}] `;
  const names = files.map((file) => oneLine(file.slice(folder.length), 200));
  const named = namesWithin(names, chars - head.length);
  if (named.length === 0) return undefined;
  const more = files.length > named.length ? ` and ${files.length - named.length} more` : '';
  return `${head}${named.join(', ')}${more}`;
}

/** Ends in a slash; '' if the files share no folder, or have relative paths. */
function sharedFolder(files: readonly string[]): string {
  if (files.length < 2 || !files.every((file) => file.startsWith('/'))) return '';
  const [first, last] = [files.reduce((a, b) => (a < b ? a : b)), files.reduce((a, b) => (a > b ? a : b))];
  let end = 0;
  while (end < first.length && first[end] === last[end]) end++;
  return first.slice(0, first.lastIndexOf('/', end - 1) + 1);
}

/** Tools that answer with instructions to the agent. */
const LOADING_TOOL = /skill|instruction|guideline|get_rules|load_rules/i;
/** Files with instructions to agents, by the names that their programs use. */
const LOADED_FILE =
  /(?:^|[/\\])(?:SKILL\.md|AGENTS\.md|CLAUDE(?:\.local)?\.md|GEMINI\.md|CONVENTIONS\.md|\.cursorrules|\.windsurfrules|\.clinerules|copilot-instructions\.md)$/i;
/** Files in these places are examples or copies, not instructions to follow. */
const EXAMPLES = /^(?:\/private)?\/(?:tmp|var\/folders)\/|\/node_modules\//;
/** A shorter answer only reports that instructions were loaded. */
const MIN_TOKENS = 60;

/** Whether a call's answer of so many tokens is instructions to the agent. */
export function loadsInstructions({ tool, kind, path = '', ending }: CallNote, tokens: number): boolean {
  if (tokens < MIN_TOKENS || ending === 'failed' || ending === 'not run') return false;
  return LOADING_TOOL.test(tool) || (kind === 'read' && LOADED_FILE.test(path) && !EXAMPLES.test(path));
}
