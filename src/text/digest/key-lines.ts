import type { Count } from './cut.js';
import { fitText } from './fit.js';
import { headOf, tailOf } from '../reading/index.js';

/** Characters at each end of a result that are read: search finds a line in the middle of a megabyte, this does not. */
const END_CHARS = 32_000;

/** Most characters of a line that are read and shown: a longer line is data. */
const LINE_CHARS = 240;

/** Number of first lines that are shown of a text without any key line. */
const FIRST_LINES = 5;

/** Matches a failure. */
const FAILURE = /\b(?:error|exception|panic|fatal|traceback|fail(?:ed|ure|ing)?)\b|\w(?:Error|Exception)\b/i;
const FAILURE_WEIGHT = 5;
/** Matches a declaration. */
const DECLARATION =
  /^\s*(?:\d+[\s:|→]*)?(?:export |public |private |static |async |pub )*(?:function|class|interface|type|enum|def|fn|func|struct|trait|impl|const|module)\s+\w/;
const DECLARATION_WEIGHT = 2;
/** Other signs of a line worth keeping, best first: ids, places, names. */
const SIGNS: readonly (readonly [weight: number, pattern: RegExp])[] = [
  [
    4,
    /\b[0-9a-f]{8}-[0-9a-f]{4}-|\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b|#\d{2,}\b|\b[A-Z]{2,}-\d+\b/,
  ],
  [3, /https?:\/\/\S|(?:^|[\s"'(`=:])[\w.~@-]*\/[\w./@-]*\.\w{1,8}\b/],
  [1, /\b(?:[a-z]+[A-Z]\w+|[a-z]+_[a-z]\w+)\b/],
];

/** For a text that is only displayed: its headings; declarations count more than mentions. */
const HEADING = /^(?:\s{0,8}\d{1,6}[\s:|→]{1,3})?#{1,4} \S/;
const HEADING_WEIGHT = 5;

/** Facts about a text whose lines are chosen. */
export interface KeyLineOptions {
  /** Lines that this text already has are left out. */
  readonly told?: string;
  /** The text only displays existing content, such as a file: failures in it did not happen in the call. */
  readonly isLook?: boolean;
}

/** Lines worth keeping verbatim, chosen best first and shown in their own order; '' if none fits. */
export function keyLines(
  text: string,
  maxTokens: number,
  count: Count,
  { told = '', isLook = false }: KeyLineOptions = {},
): string {
  const ranked = rank(text, isLook).filter((line) => !told.includes(line.text.trim()));
  if (ranked.length === 0 || maxTokens < 4) return '';
  const build = (chars: number): string => {
    const chosen: Ranked[] = [];
    let left = chars;
    for (const line of ranked) {
      if (line.text.length + 1 > left) continue;
      left -= line.text.length + 1;
      chosen.push(line);
      if (left < 12) break;
    }
    return chosen
      .sort((a, b) => a.place - b.place)
      .map((line) => line.text)
      .join('\n');
  };
  return fitText(build, maxTokens, count)?.text ?? '';
}

interface Ranked {
  readonly place: number;
  readonly weight: number;
  readonly text: string;
}

function rank(text: string, isLook: boolean): Ranked[] {
  const seen = new Set<string>();
  const ranked: Ranked[] = [];
  endsOf(text)
    .split('\n')
    .forEach((line, place) => {
      const kept = headOf(line.trimEnd(), LINE_CHARS);
      const bare = kept.trim();
      if (bare === '' || seen.has(bare)) return;
      seen.add(bare);
      ranked.push({ place, weight: weightOf(kept, isLook), text: kept });
    });
  const telling = ranked.filter((line) => line.weight > 0);
  return telling.length > 0
    ? telling.sort((a, b) => b.weight - a.weight || a.place - b.place)
    : ranked.slice(0, FIRST_LINES);
}

/** The worth of a line. In a text that is only displayed, mentions of failures are content, not news. */
function weightOf(line: string, isLook: boolean): number {
  let weight = DECLARATION.test(line) ? DECLARATION_WEIGHT : 0;
  if (isLook) weight = 2 * weight + (HEADING.test(line) ? HEADING_WEIGHT : 0);
  else if (FAILURE.test(line)) weight += FAILURE_WEIGHT;
  for (const [worth, pattern] of SIGNS) if (pattern.test(line)) weight += worth;
  return weight;
}

function endsOf(text: string): string {
  return text.length <= 2 * END_CHARS ? text : `${headOf(text, END_CHARS)}\n${tailOf(text, END_CHARS)}`;
}
