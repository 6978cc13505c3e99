import type { Count } from './cut.js';
import { fitText } from './fit.js';
import { headOf, tailOf } from './slices.js';

/** Says whether a line holds something that is known to be needed again. */
export type Wanted = (line: string) => boolean;

/** A line longer than this is data, not a line; only its beginning is kept. */
const LINE_CHARS = 240;

/** Results are looked through from both ends this far: a line in the middle of a megabyte is found by search, not here. */
const END_CHARS = 32_000;

/** Of a text without any telling line, this many of its first stand for it. */
const FIRST_LINES = 5;

/** What makes a line worth keeping, best first. */
const SIGNS: readonly (readonly [weight: number, sign: RegExp])[] = [
  [5, /\b(?:error|exception|panic|fatal|traceback|fail(?:ed|ure|ing)?)\b|\w(?:Error|Exception)\b/i],
  [
    4,
    /\b[0-9a-f]{8}-[0-9a-f]{4}-|\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b|#\d{2,}\b|\b[A-Z]{2,}-\d+\b/,
  ],
  [3, /https?:\/\/\S|(?:^|[\s"'(`=:])[\w.~@-]*\/[\w./@-]*\.\w{1,8}\b/],
  [
    2,
    /^\s*(?:\d+[\s:|→]*)?(?:export |public |private |static |async |pub )*(?:function|class|interface|type|enum|def|fn|func|struct|trait|impl|const|module)\s+\w/,
  ],
  [1, /\b(?:[a-z]+[A-Z]\w+|[a-z]+_[a-z]\w+)\b/],
];

/**
 * Lines worth keeping verbatim, chosen best first and shown in their own order; '' where none fits. Lines that stand in
 * `told` already are left out.
 */
export function keyLines(text: string, maxTokens: number, count: Count, wanted?: Wanted, told = ''): string {
  const ranked = rank(text, wanted).filter((line) => !told.includes(line.text.trim()));
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

function rank(text: string, wanted: Wanted | undefined): Ranked[] {
  const seen = new Set<string>();
  const ranked: Ranked[] = [];
  linesOf(text).forEach((line, place) => {
    const kept = headOf(line.trimEnd(), LINE_CHARS);
    const bare = kept.trim();
    if (bare === '' || seen.has(bare)) return;
    seen.add(bare);
    const weight = (wanted?.(line) ? 10 : 0) + signsOf(kept);
    ranked.push({ place, weight, text: kept });
  });
  const telling = ranked.filter((line) => line.weight > 0);
  return telling.length > 0
    ? telling.sort((a, b) => b.weight - a.weight || a.place - b.place)
    : ranked.slice(0, FIRST_LINES);
}

function signsOf(line: string): number {
  let weight = 0;
  for (const [value, sign] of SIGNS) if (sign.test(line)) weight += value;
  return weight;
}

function linesOf(text: string): string[] {
  if (text.length <= 2 * END_CHARS) return text.split('\n');
  return [...headOf(text, END_CHARS).split('\n'), ...tailOf(text, END_CHARS).split('\n')];
}
