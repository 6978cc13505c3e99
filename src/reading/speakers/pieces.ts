import type { HostBlock } from './blocks.js';
import { isTagRow, type PhraseRow, type Section, type TagRow } from './row.js';
import type { Speaker, Speech } from './speech.js';

/** Who says what inside a block of a host. */
export function piecesOf(text: string, found: HostBlock<TagRow | PhraseRow>): Speech[] {
  const { row } = found;
  const label = labelOf(found);
  let inner = text.slice(found.inner.from, found.inner.to);
  const pieces: Speech[] = [];
  const say = (speaker: Speaker, said: string): void => {
    const speech = speechOf(speaker, said, label);
    if (speech) pieces.push(speech);
  };
  if (isTagRow(row)) {
    saySections(inner, row, say);
    return pieces;
  }
  if (row.frame) {
    const line = inner.indexOf('\n');
    const at = line < 0 ? row.opens.length : line;
    say(row.frame, inner.slice(0, at));
    inner = inner.slice(at);
  }
  const at = row.orders ? ordersAt(inner, row.orders) : inner.length;
  saySections(inner.slice(0, at), row, say);
  say('program', inner.slice(at));
  return pieces;
}

/** A speech without blank lines at its ends; undefined where nothing is said. */
export function speechOf(speaker: Speaker, text: string, label?: string): Speech | undefined {
  const said = withoutBlankEnds(text);
  if (said === '') return undefined;
  return label === undefined ? { speaker, text: said } : { speaker, text: said, label };
}

function labelOf({ row, opening }: HostBlock<TagRow | PhraseRow>): string {
  const name = /\bname="([^"]{1,80})"/.exec(opening)?.[1];
  return name ?? row.label ?? (isTagRow(row) ? row.tag : row.host);
}

function saySections(
  inner: string,
  { speaker, sections = [] }: { readonly speaker: Speaker; readonly sections?: readonly Section[] },
  say: (speaker: Speaker, text: string) => void,
): void {
  let cursor = 0;
  for (const section of sections) {
    const place = placeOf(inner, section, cursor);
    if (!place) continue;
    const { isTag, opens, closes } = section;
    say(speaker, inner.slice(cursor, isTag ? place.from - opens.length : place.from));
    say(section.speaker, inner.slice(place.from, place.to));
    cursor = place.to + (isTag && closes !== undefined ? closes.length : 0);
  }
  say(speaker, inner.slice(cursor));
}

/** Where what a section says begins and ends. */
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

/** Where the lines at the end begin that tell the reader what to do. Walks back over them and no further. */
function ordersAt(text: string, orders: readonly string[]): number {
  let at = text.length;
  for (;;) {
    let end = at;
    while (end > 0 && text[end - 1]!.trim() === '') end -= 1;
    const line = end === 0 ? 0 : text.lastIndexOf('\n', end - 1) + 1;
    if (line === 0 || !orders.some((order) => text.startsWith(order, line))) return at;
    at = line;
  }
}

function withoutBlankEnds(text: string): string {
  const end = text.trimEnd();
  let from = 0;
  for (let at = 0; at < end.length; at += 1) {
    const char = end[at]!;
    if (char === '\n') from = at + 1;
    else if (char.trim() !== '') break;
  }
  return end.slice(from);
}
