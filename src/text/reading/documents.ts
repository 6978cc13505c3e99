import { fromFirstLine } from './slices.js';
import type { Speaker } from './speaker-table.js';

/** A piece of a message by one speaker. */
export interface Speech {
  readonly speaker: Speaker;
  /** Verbatim, without the tags around it and without blank lines at its ends. */
  readonly text: string;
  /** Names the shape: a skill's or command's name, a tag, `fence`. */
  readonly label?: string;
}

/** A speech without blank lines at its ends; undefined where nothing is said. */
export function speechOf(speaker: Speaker, text: string, label?: string): Speech | undefined {
  const said = fromFirstLine(text);
  return said === '' ? undefined : { speaker, text: said, ...(label !== undefined && { label }) };
}

/** A line of a text, by its positions; `to` is behind its last character, the line break not counted. */
export interface Line {
  readonly from: number;
  readonly to: number;
}

/** The lines of a stretch of a text. */
export function linesOf(text: string, from: number, end: number): Line[] {
  const lines: Line[] = [];
  for (let at = from; at <= end;) {
    const newline = text.indexOf('\n', at);
    const to = newline < 0 || newline > end ? end : newline;
    lines.push({ from: at, to });
    at = to + 1;
  }
  return lines;
}

const FENCE = /^[ \t]{0,8}(`{3,8}|~{3,8})(.*)$/;
/** Of a line: a longer one is no fence. */
const FENCE_CHARS = 120;

/** By the index of the line that opens a code fence, the index of the line that closes it. One never closed is none. */
export function fencesOf(text: string, lines: readonly Line[]): ReadonlyMap<number, number> {
  const fences = new Map<number, number>();
  let open: { readonly index: number; readonly mark: string } | undefined;
  const closings = new Map<string, number>();
  const marks = lines.flatMap(({ from, to }, index) => {
    const found = to - from > FENCE_CHARS ? null : FENCE.exec(text.slice(from, to));
    return found ? [{ index, mark: found[1]!, isBare: found[2]!.trim() === '' }] : [];
  });
  for (const { index, mark, isBare } of marks) if (isBare) closings.set(mark, index);
  for (const { index, mark, isBare } of marks) {
    if (open?.mark === mark && isBare) {
      fences.set(open.index, index);
      open = undefined;
    } else if (!open && (closings.get(mark) ?? -1) > index) open = { index, mark };
  }
  return fences;
}

/** Texts up to here are the user's, whatever they look like, in characters. Tuned on recorded messages: the shortest pasted block there is longer. */
const SHORT = 240;
/** A closed fence with at most so many lines and characters is an example in the user's own sentence. */
const SHORT_FENCE_LINES = 4;
const SHORT_FENCE_CHARS = 240;
/** Lines of a program in a row that are pasted output: so many, and so long together. */
const MACHINE_LINES = 3;
const MACHINE_CHARS = 160;
/** Between two of them at most so many lines that could be anything. */
const MACHINE_GAP = 2;

/** A stretch of lines, both ends included; without a label it is passed over whole. */
interface Block {
  readonly first: number;
  readonly last: number;
  readonly label: string;
}

/** What a user wrote, and the documents pasted into it, by structure alone. Where that is in doubt it is the user's. */
export function documentsIn(text: string): Speech[] {
  const lines = text.length <= SHORT ? [] : linesOf(text, 0, text.length);
  const texts = lines.map(({ from, to }) => text.slice(from, to));
  const fences = fencesOf(text, lines);
  const speeches: (Speech | undefined)[] = [];
  let next = 0;
  for (let at = 0; at < texts.length;) {
    const block = fenceAt(fences, lines, at) ?? machineAt(texts, fences, at);
    if (block?.label) {
      const [from, to] = [lines[block.first]!.from, lines[block.last]!.to];
      const pasted = speechOf('document', text.slice(from, to), block.label);
      speeches.push(speechOf('user', text.slice(next, from)), pasted);
      next = to;
    }
    at = (block?.last ?? at) + 1;
  }
  speeches.push(speechOf('user', text.slice(next)));
  return speeches.filter((speech) => speech !== undefined);
}

function fenceAt(
  fences: ReadonlyMap<number, number>,
  lines: readonly Line[],
  first: number,
): Block | undefined {
  const last = fences.get(first);
  if (last === undefined) return undefined;
  const chars = lines[last]!.to - lines[first]!.from;
  const isShort = last - first - 1 <= SHORT_FENCE_LINES && chars <= SHORT_FENCE_CHARS;
  return { first, last, label: isShort ? '' : 'fence' };
}

/** Output pasted from a terminal, a log, a diff or a stack trace. */
function machineAt(
  texts: readonly string[],
  fences: ReadonlyMap<number, number>,
  first: number,
): Block | undefined {
  if (!isMachine(texts[first]!)) return undefined;
  let last = first;
  let count = 1;
  for (let at = first + 1; at < texts.length && at - last <= MACHINE_GAP + 1 && !fences.has(at); at += 1) {
    if (isMachine(texts[at]!)) {
      count += 1;
      last = at;
    } else if (SOFT.test(texts[at]!.slice(0, LINE_CHARS)) && at === last + 1) last = at;
  }
  while (last > first && texts[last]!.trim() === '') last -= 1;
  const chars = texts.slice(first, last + 1).reduce((sum, line) => sum + line.length, 0);
  return { first, last, label: count >= MACHINE_LINES && chars >= MACHINE_CHARS ? 'output' : '' };
}

const isMachine = (line: string): boolean => line.endsWith(PADDING) || STRONG.test(line.slice(0, LINE_CHARS));

/** Of a line so much is looked at, in characters. */
const LINE_CHARS = 300;
/** Spaces at the end of a line that was copied from a terminal as wide as its window. */
const PADDING = ' '.repeat(12);

/** Lines that only a program writes. */
const STRONG = new RegExp(
  [
    // Stack frames and what stands above them.
    String.raw`\s*at (?:async )?[\w.$<>[\] ]{1,100} ?\(|\s*at (?:file:|node:|async |/)\S|\s*File "[^"]{1,200}", line \d`,
    String.raw`Traceback \(most recent call last\)|goroutine \d+ \[|panic: |\s*Caused by: [\w.]+|Node\.js v\d`,
    // Logs.
    String.raw`\s*\[?(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d|\s*\[?(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL)\]? {1,4}[\w[(]`,
    String.raw`(?:npm|yarn|pnpm) (?:ERR!|error|warn|WARN)| ?ERR_PNPM_|\s*(?:\{"[\w$.@-]{1,60}":|\[\{")`,
    // Compilers and test runners.
    String.raw`\s*[\w./@+-]{1,200}\.\w{1,5}[:(]\d{1,6}[:,)]|(?:error|warning)(?:\[\w+\]| TS\d+): `,
    String.raw`\s*(?:--- (?:FAIL|PASS|SKIP): |=== (?:RUN|NAME|CONT|PAUSE)\s)|(?:FAIL|ok|PASS)(?:\t|  |$)`,
    String.raw`\s*(?:✓|✗|✕|✔|✘|●|×) \S|(?:not )?ok \d+ `,
    // Diffs.
    String.raw`diff --git a/|@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@|(?:---|\+\+\+) [ab]/|index [0-9a-f]{7,40}\.\.[0-9a-f]{7,40}`,
    // Terminals: prompts, boxes, spinners.
    String.raw`(?:\$|❯|➜|⏺|⎿) {1,3}\S|[\w.-]{1,40}@[\w.-]{1,60}[: ][^\n]{0,100}[$%#] |\s*[│┃║┌└├╭╰┏┗╔╚━─═⎿]`,
  ]
    .map((line) => `^(?:${line})`)
    .join('|'),
  'u',
);

/** Lines that end what others began: an error's own line, a diff's changed lines, whatever is indented. */
const SOFT =
  /^(?:\s{2,}\S|\t|[+-]\S|[\w.]{0,100}(?:Error|Exception|Warning)\b|(?:exit status|Exit code|Exit status) \d|\s*$)/u;
