import { documentsIn, fencesOf, linesOf, speechOf, type Speech } from './documents.js';
import { BlockFinder, type HostBlock } from './speaker-blocks.js';
import { isTagRow, type Section, type Speaker } from './speaker-table.js';

/** No one writes so many lines: everything between the first and the last `END_LINES` of them is a document. */
const MAX_LINES = 20_000;
const END_LINES = 2_000;

/**
 * The speakers in the texts of one message of a user, in order. Linear in the length of the texts.
 *
 * @param before - the text in front of them, of a message in the same role
 * @param asked - the end of the message in front of them, of an agent or the system
 */
export function scanTexts(texts: readonly string[], before = '', asked?: string): Speech[] {
  const text = texts.join('\n');
  const inner = middleOf(text);
  if (inner) {
    const document = speechOf('document', text.slice(...inner), 'output');
    return [
      ...scanTexts([text.slice(0, inner[0])], before, asked),
      ...(document ? [document] : []),
      ...scanTexts([text.slice(inner[1])]),
    ];
  }
  const finder = new BlockFinder(text, asked);
  const speeches: Speech[] = [];
  let from = 0;
  let start = 0;
  let last = before;
  for (const part of texts) {
    const end = start + part.length;
    // A block that began in an earlier part may extend into this one.
    if (from <= end)
      from = scanPart(text, finder, { start: Math.max(from, start), end, before: last }, speeches);
    last = part;
    start = end + 1;
    from = Math.max(from, start);
  }
  return speeches;
}

/** The middle of a text with too many lines; otherwise undefined. */
function middleOf(text: string): [from: number, to: number] | undefined {
  let lines = 0;
  let from = 0;
  for (let at = text.indexOf('\n'); at >= 0 && lines <= MAX_LINES; at = text.indexOf('\n', at + 1))
    if (++lines === END_LINES) from = at + 1;
  if (lines <= MAX_LINES) return undefined;
  let to = text.length;
  for (let i = 0; i < END_LINES; i++) to = text.lastIndexOf('\n', to - 1);
  return [from, to];
}

/** One text of a message, by its position among all, and the text before it. */
interface Part {
  readonly start: number;
  readonly end: number;
  readonly before: string;
}

/** Reads one text; returns the position to continue from, after its end if a block extends further. */
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
    let found = at < line.to ? finder.blockAt(at, end, isFirst ? before : undefined) : undefined;
    const closing = fences.get(index);
    if (!found && closing !== undefined) {
      isFirst = false;
      index = closing;
      continue;
    }
    found ??= finder.blockWithin(at + 1, line.to, end);
    if (!found) {
      if (at < line.to) isFirst = false;
      continue;
    }
    at = found.from;
    flush(at);
    speeches.push(...piecesOf(text, found));
    if (text.slice(userFrom, at).trim() !== '') isFirst = false;
    userFrom = skipSpace(text, found.to, end);
    // The rest of the block's last line is read as a line of its own.
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

/** The speakers inside a block of a host. */
function piecesOf(text: string, found: HostBlock): Speech[] {
  const { row } = found;
  const label = labelOf(found);
  let inner = text.slice(found.inner.from, found.inner.to);
  const pieces: Speech[] = [];
  const add = (speaker: Speaker, said: string): void => {
    const speech = speechOf(speaker, said, label);
    if (speech) pieces.push(speech);
  };
  if (isTagRow(row)) {
    addSections(inner, row, add);
    return pieces;
  }
  if (row.frame) {
    const line = inner.indexOf('\n');
    const at = line < 0 ? row.opens.length : line;
    add(row.frame, inner.slice(0, at));
    inner = inner.slice(at);
  }
  const at = row.orders ? ordersStart(inner, row.orders) : inner.length;
  addSections(inner.slice(0, at), row, add);
  add('program', inner.slice(at));
  return pieces;
}

function labelOf({ row, opening }: HostBlock): string {
  const name = /\bname="([^"]{1,80})"/.exec(opening)?.[1];
  return name ?? (isTagRow(row) ? row.tag : row.label);
}

function addSections(
  inner: string,
  { speaker, sections = [] }: { readonly speaker: Speaker; readonly sections?: readonly Section[] },
  add: (speaker: Speaker, text: string) => void,
): void {
  let cursor = 0;
  for (const section of sections) {
    const place = placeOf(inner, section, cursor);
    if (!place) continue;
    const { isTag, opens, closes } = section;
    add(speaker, inner.slice(cursor, isTag ? place.from - opens.length : place.from));
    add(section.speaker, inner.slice(place.from, place.to));
    cursor = place.to + (isTag && closes !== undefined ? closes.length : 0);
  }
  add(speaker, inner.slice(cursor));
}

/** Start and end of a section's text. */
function placeOf(
  inner: string,
  { opens, closes, last }: Section,
  cursor: number,
): { from: number; to: number } | undefined {
  const opensAt = last && closes === undefined ? inner.lastIndexOf(opens) : inner.indexOf(opens, cursor);
  if (opensAt < cursor) return undefined;
  const from = opensAt + opens.length;
  if (closes === undefined) return { from, to: inner.length };
  const to = last ? inner.lastIndexOf(closes) : inner.indexOf(closes, from);
  return to < from ? undefined : { from, to };
}

/** Start of the final lines that instruct the reader. Walks back over these lines only. */
function ordersStart(text: string, orders: readonly string[]): number {
  let at = text.length;
  for (;;) {
    let end = at;
    while (end > 0 && text[end - 1]!.trim() === '') end -= 1;
    const line = end === 0 ? 0 : text.lastIndexOf('\n', end - 1) + 1;
    if (line === 0 || !orders.some((order) => text.startsWith(order, line))) return at;
    at = line;
  }
}
