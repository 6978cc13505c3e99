import type { Passage } from './passages.js';
import type { Ranked } from './rank.js';

/** Of the lines of a passage; beyond, it says nothing that was not said. */
const MAX_KNOWN_SHARE = 0.7;
/** A shorter line, a bracket, stands everywhere. */
const MIN_LINE_CHARS = 9;
/** Readers of files put numbers before lines, and they change. */
const LINE_NUMBER = /^\s*\d+\s*[:|→\t]/;
/** Passages behind these were never wanted. */
const MAX_LOOKED_AT = 400;

/** The same order, without passages whose lines were said by better ones, or stand in `shown`. */
export function withoutCopies(ranked: readonly Ranked[], shown: Iterable<string> = []): Ranked[] {
  const known = new Set<string>();
  for (const text of shown) for (const line of linesOf(text)) known.add(line);
  return ranked.slice(0, MAX_LOOKED_AT).filter(({ passage }) => {
    const lines = linesIn(passage);
    const old = lines.filter((line) => known.has(line)).length;
    if (old > MAX_KNOWN_SHARE * lines.length) return false;
    for (const line of lines) known.add(line);
    return true;
  });
}

function linesIn({ text }: Passage): string[] {
  const lines = linesOf(text);
  // Nothing but short lines: then all of it is one.
  return lines.length > 0 ? lines : [text.trim()];
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.replace(LINE_NUMBER, '').trim())
    .filter((line) => line.length >= MIN_LINE_CHARS);
}
