/** A line that says that a list of demands follows. */
const HEADING =
  /(?<![\p{L}])(?:requirements?|acceptance criteri(?:a|on)|criteria|definition of done|done when|checklist|deliverables?|must[- ]haves?|constraints?|rules|guidelines|spec(?:ification)?s?|key features|goals?|anforderung(?:en)?|akzeptanzkriteri(?:en|um)|abnahmekriterien|regeln|exigences|critères(?: d[’']acceptation)?|requisitos|criterios|要求|需求|验收标准|验收|要件|条件)(?![\p{L}])/iu;

const ITEM = /^\s{0,12}(?:[-*+•]|\d{1,3}[.)]|[a-z][.)]|\[[ xX]\])\s+\S/;
const BOX = /^\s{0,12}(?:[-*+]\s+|\d{1,3}[.)]\s+)?\[[ xX]\]\s+\S/;

/** A list longer than this is a document: it is read back, not carried. In characters. */
const LONGEST_CHARS = 4_000;

/** Lists of demands in what a user said, each with the line above it, letter for letter. */
export function requirementsIn(text: string): string[] {
  const lines = text.split('\n');
  const found: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    if (!ITEM.test(lines[at]!)) continue;
    let end = at + 1;
    while (end < lines.length && continues(lines, end)) end++;
    while (lines[end - 1]!.trim() === '') end--;
    let head = at - 1;
    while (head >= 0 && lines[head]!.trim() === '' && at - head < 3) head--;
    const title = head >= 0 ? lines[head]! : '';
    const items = lines.slice(at, end);
    const count = items.filter((line) => ITEM.test(line)).length;
    const isDemand =
      (count >= 2 && HEADING.test(title)) || items.filter((line) => BOX.test(line)).length >= 2;
    const list = isDemand && title.trim() !== '' ? [title, ...items] : items;
    const whole = list.join('\n').trim();
    if (isDemand && whole.length <= LONGEST_CHARS) found.push(whole);
    at = end - 1;
  }
  return found;
}

/** Another item, a line that goes on with one, or the blank line between two. */
function continues(lines: readonly string[], at: number): boolean {
  const line = lines[at]!;
  if (ITEM.test(line) || /^\s{2,}\S/.test(line)) return true;
  return line.trim() === '' && at + 1 < lines.length && ITEM.test(lines[at + 1]!);
}
