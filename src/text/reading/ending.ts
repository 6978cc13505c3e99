import { parseArguments, statusIn, wasNotRun } from '../facts/index.js';
import { lineAround, oneLine } from './slices.js';

/** Outcome of a call: by its status, its host or its own report of failure; unknown; or the call was not allowed. */
export type Ending = 'passed' | 'failed' | 'unknown' | 'not run';

/** A program's report on itself is at its end. In characters. */
const END_CHARS = 3_000;

/** A program's final report of a failure. */
const FAILED =
  /\b[1-9]\d* (?:tests? |specs? |suites? )?(?:failed|failing|failures?|errors?)\b|\b(?:failed|failures|errors)[:=] ?[1-9]|^[^\S\n]{0,12}(?:--- )?FAIL(?:ED|URE)?\b|^(?:#|ℹ) fail [1-9]|test result: FAILED|BUILD FAIL(?:ED|URE)|npm (?:ERR!|error)|error TS\d+|make: \*\*\*|ELIFECYCLE|ERR_PNPM_/m;
/** A program that could not run, or broke. */
const BROKE =
  /^(?:bash: |zsh: |sh: )?.{0,80}command not found|^\S{1,80}: No module named \S|^(?:fatal|error): |^[^\S\n]{0,4}! \[rejected\]|^Traceback \(most recent|^[\w.]{0,120}(?:Error|Exception): |^(?:curl|git|gh|cat|ls|cp|mv|rm|sed): /m;
const BROKE_CHARS = 600;
/** A program's report that nothing failed: never a reason for a failure, at any status. */
const SUCCESS_REPORT =
  /^[^\n]{0,40}\b(?:all (?:\d+ )?(?:tests?|specs?|checks?)(?: \w{1,20})? (?:passed|pass|succeeded)\b|build success)[^\n]{0,300}$/gim;

/** Reads only the ends of a text. If the status is that of a filter after the command, 0 decides nothing. */
export function endingOf(text: string, isError = false, isFiltered = false): Ending {
  if (wasNotRun(text)) return 'not run';
  const status = statusIn(text);
  if (status !== undefined && !(isFiltered && status === 0)) return status === 0 ? 'passed' : 'failed';
  if (isError) return 'failed';
  const end = text.slice(-END_CHARS);
  // A suite that tests its errors prints them before its final report of success.
  const tail = end.slice([...end.matchAll(SUCCESS_REPORT)].at(-1)?.index ?? 0);
  const failed = FAILED.test(tail) || BROKE.test(tail.slice(-BROKE_CHARS)) || raisedIn(tail) !== undefined;
  return failed ? 'failed' : 'unknown';
}

/** The last line of a Python stack: `django.core.exceptions.ImproperlyConfigured: …`. The lines before are indented. */
const RAISED = /^[A-Za-z_][\w.]{0,200}(?::[^\n]{0,300})?$/m;
const STACK = 'Traceback (most recent';

/** The last exception of a Python program, with at most `most` characters after it; undefined if there is none. */
function raisedIn(end: string, most = BROKE_CHARS): string | undefined {
  const stack = end.slice(end.lastIndexOf(STACK));
  const raised = stack.startsWith(STACK) ? RAISED.exec(stack) : null;
  if (!raised || stack.length - raised.index - raised[0].length > most) return undefined;
  return oneLine(raised[0], LINE_CHARS);
}

/** Longest piece of a tool's own text in an outcome, in characters. */
const LINE_CHARS = 160;

/** Names of failures in any program's output; `0 errors`, `no errors`, `error: 0` and `failed: 0` are excluded. */
const FAILURE =
  /(?<!\b(?:0|no|without)\s)\b(?:error|fail(?:ed|ure|s)?|exception|traceback|panic(?:ked)?|fatal|denied|not found|cannot|refused|timed? ?out|segfault|assert\w* failed|[A-Z]\w+(?:Error|Exception))\b(?!s?[:=]\s*0\b)(?!\w)/gi;

/** Final reports of runners: counts of passed and failed, exit statuses, verdicts. */
const VERDICT =
  /\b(?:all (?:\d+ )?(?:tests?|specs?|checks?)(?: \w{1,20})? (?:pass|succeed)|\d+ (?:tests? )?(?:passed|passing|failed|failing|failures?|errors?|warnings?|problems?)\b|exit(?:ed)?(?: with)?(?: code| status)?:? \d+|tests?:\s+\d+|test result:|build (?:successful|succeeded|failed)|ran \d+ tests?|\d+ files? changed)/gi;

/** A line with readable text, unlike a rule, a bracket or a line number. */
const MEANINGFUL = /[\p{L}\p{N}][^\n]*[\p{L}\p{N}]/u;

/** Whether the text of a result looks like a failure. */
export function looksFailed(text: string): boolean {
  return firstFailure(text) !== undefined;
}

/**
 * A tool result in one line: its outcome (error line, else verdict, else its first line) and its length. One pass over
 * the text, at any size; an unbroken line of any length is only read around a match.
 */
export function outcomeOf(text: string, isError = false): string {
  if (text.trim() === '') return isError ? 'failed without output' : 'no output';
  const failure = firstFailure(text);
  const verdict = lastVerdict(text);
  const said = [...new Set([failure, verdict].filter((line) => line !== undefined))];
  if (said.length === 0) said.push(firstLine(text));
  const lines = countLines(text);
  const size = lines > 1 ? ` (${lines} lines)` : '';
  return `${isError && failure === undefined ? 'failed: ' : ''}${said.join('; ')}${size}`;
}

function firstFailure(text: string): string | undefined {
  FAILURE.lastIndex = 0;
  const hit = FAILURE.exec(text);
  return hit ? oneLine(lineAround(text, hit.index, LINE_CHARS), LINE_CHARS) : undefined;
}

function lastVerdict(text: string): string | undefined {
  const end = text.slice(-END_CHARS);
  const last = [...end.matchAll(VERDICT)].at(-1);
  return last && oneLine(lineAround(end, last.index, LINE_CHARS), LINE_CHARS);
}

function firstLine(text: string): string {
  const hit = MEANINGFUL.exec(text.slice(0, 2_000));
  return oneLine(hit ? lineAround(text, hit.index, LINE_CHARS) : text, LINE_CHARS);
}

function countLines(text: string): number {
  let lines = text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}

/** A line that begins as a failure, after a place or mark: `FAIL x`, `src/a.ts:3:1 - error TS2304`, `TypeError: …`. */
const FAILURE_LINE =
  /^[^\S\n]{0,8}(?:[✗✘×●E>-]\s{1,4})?(?:[\w./\\-]{1,200}[(:]\d+(?:[:,]\d+)?\)?:?\s*(?:-\s)?)?(?:--- FAIL|FAIL(?:ED|URE)?\b|not ok\b|error\b|fatal:|panic:|[A-Z]\w*(?:Error|Exception)\b|assert|expected|undefined:|cannot |npm ERR!|make: \*\*\*)[^\n]{0,300}/im;

/** Words of a refusal that names no error. */
const REFUSAL =
  /\b(?:could ?n[o']t|unable|invalid|missing|(?:un)?expected|must|no such|unknown|rejected|conflicts?)\b/i;
/** An exception by its whole name: `django.core.exceptions.AppRegistryNotReady: …`. */
const QUALIFIED = /^[a-z_]\w{0,80}(?:\.\w{1,80}){1,12}: \S/;

/** Whether a line itself reports a failure: other lines of a failed command are no reasons for the failure. */
export const namesFailure = (line: string): boolean =>
  [FAILURE_LINE, FAILED, BROKE, QUALIFIED, REFUSAL].some((says) => says.test(line)) || looksFailed(line);

/** `[main 7d5db0d] fix: …`: git's report of a commit. */
const COMMITTED = /^\[(?:detached HEAD|[^\s\]]{1,100}) (?:\([\w-]{1,40}\) )?[0-9a-f]{7,40}\] [^\n]{0,200}/gm;

/** Git's report of the last commit of a call; undefined if git is quiet. */
export const committedIn = (output: string): string | undefined =>
  withoutEnvelope(output).slice(-RECORD_CHARS).match(COMMITTED)?.at(-1);

/** Up to this length an output is quoted whole, a failure's up to `OUTCOME_CHARS`; of others at most twice as much. */
const SHORT_OUTPUT_CHARS = 260;
const OUTCOME_CHARS = 110;

/** A command's own report of its outcome: a short output whole, otherwise the lines that tell it; undefined if none. */
export function reportedOutcome(output: string, ending: Ending): string | undefined {
  const whole = withoutEnvelope(output);
  const text = ending === 'failed' ? withoutSuccess(whole) : whole;
  const flat = oneLine(text, SHORT_OUTPUT_CHARS);
  if (flat === '') return undefined;
  if (flat.length <= OUTCOME_CHARS || (ending !== 'failed' && text.length <= SHORT_OUTPUT_CHARS)) return flat;
  const said =
    ending === 'failed'
      ? [failureLine(text) ?? lastLine(text), lastVerdict(text)]
      : [committedIn(text) ?? lastVerdict(text) ?? raisedIn(text.slice(-4 * END_CHARS))];
  const lines = [...new Set(said.filter((line) => line !== undefined))];
  return lines.length > 0 ? oneLine(lines.join('; '), 2 * OUTCOME_CHARS) : undefined;
}

/** Removes final lines that report success: `failed: “All tests passed”` is no reason. */
const withoutSuccess = (text: string): string =>
  text.slice(0, -END_CHARS) +
  text.slice(-END_CHARS).replaceAll(SUCCESS_REPORT, (line) => (FAILED.test(line) ? line : ''));

/** The first line near the end of an output that reports the failure; Python names the error after the stack. */
function failureLine(text: string): string | undefined {
  const end = text.slice(-4 * END_CHARS);
  const line = raisedIn(end, Infinity) ?? FAILURE_LINE.exec(end)?.[0];
  return line === undefined ? undefined : oneLine(line, LINE_CHARS);
}

/** The last line of an output with a word, before the status that a tool adds. */
function lastLine(text: string): string | undefined {
  const lines = text.slice(-2_000).trimEnd().split('\n').slice(-6);
  return lines.findLast((line) => /\p{L}{3}/u.test(line) && !/^\W*(?:command )?exit(?:ed)?\b/i.test(line));
}

/** Lines that a host writes before the output of a command: an identifier, a time, a status, a count. */
const HEADING =
  /^(?:(?:chunk id|wall time|process (?:exited|running)|original token count|script (?:completed|failed|running)|exit code|command|duration|cwd|stdout|status)\b[^\n]{0,300}|output:?[^\S\n]*)(?:\n|$)/i;
const MAX_HEADINGS = 10;

/** Whether a line is one that a host writes around every output. */
export const isHostLine = (line: string): boolean => HEADING.test(line);
/** `<returncode>0</returncode><output>…</output>`, `<stdout>…</stdout>`. */
const TAGS = /<returncode>\d+<\/returncode>|<\/?(?:output|stdout|stderr|returncode|result|exit_code)>/g;
/** Only a small record is parsed: a large one is the output itself. In characters. */
const RECORD_CHARS = 20_000;

/** The output without its host's frame, trimmed. Only the first lines and the tags are read. */
export function withoutEnvelope(text: string): string {
  let rest = text.trimStart();
  for (let i = 0; i < MAX_HEADINGS; i++) {
    const line = HEADING.exec(rest);
    if (!line) break;
    rest = rest.slice(line[0].length).trimStart();
    if (/^output/i.test(line[0])) break;
  }
  // If `status: ok` is all the output, the line is the output.
  if (rest === '' && !/^output:?\s*$/im.test(text.slice(-40))) return text.trim();
  return (recordIn(rest) ?? (rest.startsWith('<') ? rest.replaceAll(TAGS, '') : rest)).trim();
}

function recordIn(text: string): string | undefined {
  if (!text.startsWith('{') || text.length > RECORD_CHARS) return undefined;
  const { output, stdout } = parseArguments(text).fields;
  const said = output ?? stdout;
  return typeof said === 'string' ? said : undefined;
}
