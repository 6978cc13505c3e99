import { lineAround, oneLine } from './slices.js';

/** Longest piece of a tool's own words in an outcome, in characters. */
const LINE_CHARS = 160;

/** How programs of all sorts name a failure; `0 errors`, `no errors`, `error: 0` and `failed: 0` are none. */
const FAILURE =
  /(?<!\b(?:0|no|without)\s)\b(?:error|fail(?:ed|ure|s)?|exception|traceback|panic(?:ked)?|fatal|denied|not found|cannot|refused|timed? ?out|segfault|assert\w* failed|[A-Z]\w+(?:Error|Exception))\b(?!s?[:=]\s*0\b)(?!\w)/gi;

/** What runners say at the end: counts of passed and failed, exit statuses, verdicts. */
const VERDICT =
  /\b(?:\d+ (?:tests? )?(?:passed|passing|failed|failing|failures?|errors?|warnings?|problems?)\b|exit(?:ed)?(?: with)?(?: code| status)?:? \d+|tests?:\s+\d+|test result:|build (?:successful|succeeded|failed)|ran \d+ tests?|\d+ files? changed)/gi;

/** Only ends are searched for a verdict: it is the last thing a runner says. */
const VERDICT_CHARS = 4_000;

/** A line with something to read in it, not a rule, a bracket or a line number. */
const MEANINGFUL = /[\p{L}\p{N}][^\n]*[\p{L}\p{N}]/u;

/** Whether the text of a result looks like a failure. */
export function looksFailed(text: string): boolean {
  return firstFailure(text) !== undefined;
}

/**
 * A tool result in one line: how it ended (error line, else verdict, else its first line) and how long it was.
 * One pass over the text, whatever its size; an unbroken line of any length is only read around a hit.
 */
export function outcomeOf(text: string, isError = false): string {
  if (text.trim() === '') return isError ? 'failed without output' : 'no output';
  const said: string[] = [];
  const failure = firstFailure(text);
  if (failure !== undefined) said.push(failure);
  const verdict = lastVerdict(text);
  if (verdict !== undefined && verdict !== failure) said.push(verdict);
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
  const end = text.slice(-VERDICT_CHARS);
  let last: RegExpMatchArray | undefined;
  for (const hit of end.matchAll(VERDICT)) last = hit;
  return last ? oneLine(lineAround(end, last.index!, LINE_CHARS), LINE_CHARS) : undefined;
}

function firstLine(text: string): string {
  const hit = MEANINGFUL.exec(text.slice(0, 2_000));
  return oneLine(hit ? lineAround(text, hit.index, LINE_CHARS) : text, LINE_CHARS);
}

export function countLines(text: string): number {
  let lines = text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}

/** A line that begins as failures do, behind a place or a mark: `FAIL x`, `src/a.ts:3:1 - error TS2304`, `AssertionError: …`. */
const FAILURE_LINE =
  /^[^\S\n]{0,8}(?:[✗✘×●E>-]\s{1,4})?(?:[\w./\\-]{1,200}[(:]\d+(?:[:,]\d+)?\)?:?\s*(?:-\s)?)?(?:--- FAIL|FAIL(?:ED|URE)?\b|not ok\b|error\b|fatal:|panic:|[A-Z]\w*(?:Error|Exception)\b|assert|expected|undefined:|cannot |npm ERR!|make: \*\*\*)[^\n]{0,300}/gim;
const RAISED = /^[A-Z][\w.]*(?:Error|Exception|Warning|Exit|Interrupt)\b[^\n]{0,300}/gm;
/** Failures stand near the end; a longer output is looked at from there. In characters. */
const FAILURE_CHARS = 12_000;

/** A place in a file and what is said of it, as linters, compilers and test runners write it. */
const PLACED =
  /^[^\S\n]{0,12}(?:\[[\w:.@/-]{1,60}\] )?[\w./\\@-]{1,200}\.\w{1,5}[:(]\d{1,6}(?:[:,]\d{1,5})?\)?:?\s[^\n]{4,300}/gm;
/** A failure that only names what failed: the line that says why stands below. */
const NAMES_ONLY = /^\W{0,8}(?:--- FAIL|FAIL|not ok)\b/;
const SAYS_WHY =
  /\b(?:want|expected|got|should|must|fail\w*|error|mismatch|missing|not|nil|undefined)\b|[!=]=/i;
/** Below a name a runner prints what the test logged, too. */
const MOST_PLACED = 12;
const NAME_CHARS = 90;
const WHY_CHARS = 120;

/**
 * The first line near the end of an output that says what failed, with the line that says why where it only names a test.
 * Of a check it is else the first place that something is said of. Undefined where there is neither.
 */
export function failureLine(text: string, isCheck: boolean): string | undefined {
  FAILURE_LINE.lastIndex = 0;
  const end = text.slice(-FAILURE_CHARS);
  // Python names the error behind the stack.
  const raised = end.includes('Traceback (most recent') ? end.match(RAISED)?.at(-1) : undefined;
  const hit = raised === undefined ? FAILURE_LINE.exec(end) : null;
  const line = raised ?? hit?.[0] ?? (isCheck ? placedIn(end) : undefined);
  if (line === undefined) return undefined;
  const why = hit && NAMES_ONLY.test(line) ? placedIn(end.slice(hit.index + line.length)) : undefined;
  return why === undefined
    ? oneLine(line, LINE_CHARS)
    : `${oneLine(line, NAME_CHARS)}; ${oneLine(why, WHY_CHARS)}`;
}

/** The first place that says why something failed, else the first of all. */
function placedIn(text: string): string | undefined {
  const found: string[] = [];
  for (const [line] of text.matchAll(PLACED)) {
    if (SAYS_WHY.test(line)) return line;
    if (found.push(line) >= MOST_PLACED) break;
  }
  return found[0];
}

/** `[main 7d5db0d] fix: …`: what git says of a commit; undefined elsewhere. */
export function commitLine(text: string): string | undefined {
  const line = /^\[(?:detached HEAD|[^\s\]]{1,100}) (?:\([\w-]{1,40}\) )?[0-9a-f]{7,40}\] [^\n]{0,200}/m.exec(
    text.slice(0, 20_000),
  )?.[0];
  return line === undefined ? undefined : oneLine(line, LINE_CHARS);
}

/** What a runner says last: counts, exit status. */
export const verdictLine = lastVerdict;
