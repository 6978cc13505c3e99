import type { Count } from './cut.js';
import { fitText } from './fit.js';
import { LINE_CHARS, visitLines, weightOf } from './line-signs.js';
import { headOf, tailOf } from '../reading/index.js';

/** Says whether a line holds something that is known to be needed again. */
export type Wanted = (line: string) => boolean;

/** Results are looked through from both ends this far: a line in the middle of a megabyte is found by search, not here. */
const END_CHARS = 32_000;

/** Of a text without any telling line, this many of its first stand for it. */
const FIRST_LINES = 5;

/** Which lines of a text are wanted. */
export interface KeyLineOptions {
  readonly wanted?: Wanted;
  /** Lines that stand in it already are left out. */
  readonly told?: string;
  /** The text shows what stands somewhere: what it says of failures is no news. */
  readonly isLook?: boolean;
}

/** Lines worth keeping verbatim, chosen best first and shown in their own order; '' where none fits. */
export function keyLines(
  text: string,
  maxTokens: number,
  count: Count,
  { wanted, told = '', isLook = false }: KeyLineOptions = {},
): string {
  const ranked = rank(text, wanted, isLook).filter((line) => !told.includes(line.text.trim()));
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

function rank(text: string, wanted: Wanted | undefined, isLook: boolean): Ranked[] {
  const seen = new Set<string>();
  const ranked: Ranked[] = [];
  let place = -1;
  visitLines(endsOf(text), (line, has) => {
    place++;
    const kept = headOf(line.trimEnd(), LINE_CHARS);
    const bare = kept.trim();
    if (bare === '' || seen.has(bare)) return;
    seen.add(bare);
    const weight = (wanted?.(line) ? 10 : 0) + weightOf(kept, has, isLook);
    ranked.push({ place, weight, text: kept });
  });
  const telling = ranked.filter((line) => line.weight > 0);
  return telling.length > 0
    ? telling.sort((a, b) => b.weight - a.weight || a.place - b.place)
    : ranked.slice(0, FIRST_LINES);
}

function endsOf(text: string): string {
  return text.length <= 2 * END_CHARS ? text : `${headOf(text, END_CHARS)}\n${tailOf(text, END_CHARS)}`;
}
