import { BlockFinder } from './blocks.js';
import { documentsIn } from './documents.js';
import { fencesOf, linesOf } from './fences.js';
import { piecesOf } from './pieces.js';
import type { Speech } from './speech.js';

/**
 * Who says what in the texts of one message of a user, in order. Linear in their length.
 *
 * @param before - the text in front of them, of a message in the same role
 * @param asked - the end of the message in front of them, of an agent or the system
 */
export function scanTexts(texts: readonly string[], before = '', asked?: string): Speech[] {
  const text = texts.join('\n');
  const finder = new BlockFinder(text, asked);
  const speeches: Speech[] = [];
  let from = 0;
  let start = 0;
  let last = before;
  for (const part of texts) {
    const end = start + part.length;
    // A block that began in an earlier part may reach into this one.
    if (from <= end)
      from = scanPart(text, finder, { start: Math.max(from, start), end, before: last }, speeches);
    last = part;
    start = end + 1;
    from = Math.max(from, start);
  }
  return speeches;
}

/** One text of a message, by its place among all, and the text before it. */
interface Part {
  readonly start: number;
  readonly end: number;
  readonly before: string;
}

/** Reads one text; answers where to go on, behind its end where a block reaches further. */
function scanPart(text: string, finder: BlockFinder, part: Part, speeches: Speech[]): number {
  const { start, end, before } = part;
  const lines = linesOf(text, start, end);
  const fences = fencesOf(text, lines);
  let userFrom = start;
  let isFirst = true;
  const flush = (to: number): void => {
    speeches.push(...documentsIn(text.slice(userFrom, to)));
  };
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index]!;
    if (line.to < userFrom) continue;
    let at = skipSpace(text, Math.max(line.from, userFrom), line.to);
    let found = at < line.to ? finder.at(at, end, isFirst ? before : undefined) : undefined;
    const closing = fences.get(index);
    if (!found && closing !== undefined) {
      isFirst = false;
      index = closing;
      continue;
    }
    found ??= finder.within(at + 1, line.to, end);
    if (!found) {
      if (at < line.to) isFirst = false;
      continue;
    }
    at = found.from;
    flush(at);
    speeches.push(...piecesOf(text, found));
    if (text.slice(userFrom, at).trim() !== '') isFirst = false;
    userFrom = skipSpace(text, found.to, end);
    // What stands behind the block on its last line is looked at as a line of its own.
    index -= 1;
  }
  flush(Math.max(userFrom, end));
  return Math.max(userFrom, end);
}

function skipSpace(text: string, from: number, to: number): number {
  let at = from;
  while (at < to && (text[at] === ' ' || text[at] === '\t' || text[at] === '\r')) at += 1;
  return at;
}
