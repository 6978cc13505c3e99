import { namesFailure, oneLine, quoted, type CallNote } from '../reading/index.js';
import type { Entry } from './digest-index.js';
import { indented } from './heads.js';

/** Runs of calls between two shown entries, none empty. The calls of an entry's own message come after the entry. */
export function runsBetween(entries: readonly Entry[], calls: readonly CallNote[]): CallNote[][] {
  const runs: CallNote[][] = [];
  let e = 0;
  let current: CallNote[] | undefined;
  for (const call of calls) {
    while (e < entries.length && entries[e]!.seq <= call.seq) {
      e++;
      current = undefined;
    }
    if (!current) runs.push((current = []));
    current.push(call);
  }
  return runs;
}

/** Length of a line on calls without a size limit: a base, and an addition per call. */
const SHORT_LINE_CHARS = 120;
const CALL_CHARS = 60;

/** The newest runs get the longest lines; a run without room for a line has none. */
export function linesOfRuns(
  runs: readonly (readonly CallNote[])[],
  chars: number,
  detailed: ReadonlySet<CallNote>,
): (string | undefined)[] {
  if (chars === Infinity)
    return runs.map((calls) => runLine(calls, SHORT_LINE_CHARS + CALL_CHARS * calls.length, new Set()));
  const lines: (string | undefined)[] = Array.from({ length: runs.length });
  let left = chars;
  for (let i = runs.length - 1; i >= 0; i--) {
    const calls = runs[i]!;
    const room = Math.max(Math.min(left, 120), left - 60 * i);
    if (left < 40 && !calls.some((call) => detailed.has(call))) continue;
    // Runs of looks that did not fail are worth a line only among the newest runs.
    if (i < runs.length - RECENT_RUNS && calls.every(isLook)) continue;
    const line = runLine(calls, Math.min(room, Math.max(160, 0.5 * left)), detailed);
    // A bare count has no content: the head of the digest names the handle.
    if (line === undefined) continue;
    lines[i] = line;
    // The text that its calls wrote was already counted when it was chosen.
    left -=
      line.length + 1 - calls.reduce((sum, call) => sum + (detailed.has(call) ? call.excerpt.length : 0), 0);
  }
  return lines;
}

const RECENT_RUNS = 4;

const isLook = ({ kind, ending }: CallNote): boolean =>
  (kind === 'read' || kind === 'search') && ending !== 'failed' && ending !== 'not run';

/** `[9 calls m14..m30] looked at planner.go; go test ./... → failed: “undefined: cfg”`. */
function runLine(
  calls: readonly CallNote[],
  chars: number,
  detailed: ReadonlySet<CallNote>,
): string | undefined {
  const first = calls[0]!;
  const last = calls.at(-1)!;
  const head = `[${calls.length === 1 ? 'call' : `${calls.length} calls`} ${first.id === last.id ? first.id : `${first.id}..${last.id}`}]`;
  let left = chars - head.length;
  const items = itemsOf(calls, detailed);
  const ranked = items.toSorted((a, b) => b.worth - a.worth || b.at - a.at);
  const kept = items.filter(({ detail }) => detail !== '');
  for (const item of ranked) {
    if (item.detail !== '') continue;
    const isTooLong = item.text.length + 2 > left;
    if (isTooLong && kept.length > 0) continue;
    // A line that names only a less important call would pass for the whole run.
    if (isTooLong && left < MIN_CUT_CHARS) return undefined;
    const text = isTooLong ? cutTo(item, left) : item.text;
    left -= text.length + 2;
    kept.push({ ...item, text });
  }
  // A new line begins after the text that a call wrote.
  const shown = kept
    .sort((a, b) => a.at - b.at)
    .map(({ text, detail }) => `${text}${detail === '' ? '; ' : `:\n    ${detail}\n  `}`);
  return withoutEnd(`${head} ${shown.join('')}`);
}

/** A call cut shorter would be unrecognisable: half of this is for its label. */
const MIN_CUT_CHARS = 60;

/** Cuts the end of the label first: the outcome stays. */
function cutTo({ text, labelChars }: Item, chars: number): string {
  const room = Math.max(MIN_CUT_CHARS / 2, chars - (text.length - labelChars));
  const label = oneLine(text.slice(0, labelChars), room);
  const left = chars - label.length - 1;
  return left < MIN_OUTCOME_CHARS ? label : `${label} ${oneLine(text.slice(labelChars), left)}`.trimEnd();
}

/** An outcome cut shorter says nothing. */
const MIN_OUTCOME_CHARS = 10;

/** A call, or the same call several times. */
interface Item {
  readonly at: number;
  readonly worth: number;
  readonly text: string;
  /** Length of the label in the text; the outcome follows it. */
  readonly labelChars: number;
  /** The text that the call wrote, if it was chosen. */
  readonly detail: string;
}

const OUTCOME_CHARS = 220;

function itemsOf(calls: readonly CallNote[], detailed: ReadonlySet<CallNote>): Item[] {
  const items = new Map<string, Item>();
  const times = new Map<string, number>();
  const shortPaths = new Set(calls.flatMap((call) => call.shortPaths));
  const looks = new Set<string>();
  calls.forEach((call, at) => {
    if (isLook(call)) {
      // A run has looked at everything that it changes.
      if (call.label !== '' && !shortPaths.has(call.label))
        looks.add(call.kind === 'read' ? call.label : oneLine(call.label, 60));
      return;
    }
    const label = labelOf(call);
    const text = `${label}${outcomeText(call)}`;
    const detail = detailed.has(call) ? indented(call.excerpt, 4) : '';
    // A repeated call has the place of its last time; each written text has its own item.
    const key = detail === '' ? text : `${text} ${at}`;
    const repeats = (times.get(key) ?? 0) + 1;
    times.set(key, repeats);
    items.delete(key);
    // `Edit src/limits.go ×3`.
    const shown = repeats > 1 ? `${text} ×${repeats}` : text;
    items.set(key, { at, worth: worthOf(call), text: shown, labelChars: label.length, detail });
  });
  const done = [...items.values()];
  const names = [...looks];
  if (names.length === 0) return done;
  const shownNames = namesWithin(names, Math.max(LOOKS_CHARS, names[0]!.length + 2));
  const more = names.length > shownNames.length ? ` and ${names.length - shownNames.length} more` : '';
  const text = `looked at ${shownNames.join(', ')}${more}`;
  return [{ at: -1, worth: 0, text, labelChars: text.length, detail: '' }, ...done];
}

/** Characters for the names that a run looked at: names of records are short, and each may be needed. */
const LOOKS_CHARS = 140;

/** The first names that fit, including a comma after each. */
export function namesWithin(names: readonly string[], chars: number): readonly string[] {
  let left = chars;
  const cut = names.findIndex((name) => (left -= name.length + 2) < 0);
  return cut < 0 ? names : names.slice(0, cut);
}

function labelOf({ tool, kind, shortPaths, label }: CallNote): string {
  if (tool === '') return label;
  return `${tool} ${kind === 'write' && shortPaths.length > 0 ? shortPaths.join(', ') : label}`.trim();
}

/** Priority of a call in a line: failures, changes and programs come first. */
function worthOf({ kind, ending, shortPaths, writtenText }: CallNote): number {
  return (
    1 +
    (ending === 'failed' ? 2 : 0) +
    (shortPaths.length > 0 ? 3 : 0) +
    (kind === 'run' ? 1 : 0) +
    (writtenText !== '' ? 2 : 0)
  );
}

function outcomeText({ ending, outcome, kind, tool, verdict }: CallNote): string {
  if (verdict === 'refused' || (verdict === 'approved' && kind === 'other'))
    return ` → ${verdict} by the user`;
  if (ending === undefined) return ' → no result';
  if (ending === 'passed' && kind !== 'run') return '';
  const said = outcome === undefined ? '' : quoted(oneLine(outcome, OUTCOME_CHARS));
  if (ending === 'unknown') return said === '' ? '' : ` → ${said}`;
  // A program's output before its failure is not the reason; a tool's answer with a failure is.
  if (ending === 'failed' && tool === '' && said !== '' && !namesFailure(outcome!))
    return ` → failed, after ${said}`;
  // A status of 0 does not judge what a command was to show.
  return ` → ${ending === 'passed' ? 'exit 0' : ending}${said === '' ? '' : `: ${said}`}`;
}

/** Removes the separators at the end. */
function withoutEnd(line: string): string {
  let end = line.length;
  while (end > 0 && (line[end - 1] === ';' || line[end - 1]!.trim() === '')) end--;
  return line.slice(0, end);
}
