/** Prose of one message is read this far from either end. */
const PROSE_CHARS = 12_000;

/**
 * Sentences and list items of a prose, in order; code blocks are left out. A sentence that was wrapped over several lines
 * is one, with its line breaks.
 */
export function sentencesOf(prose: string): string[] {
  return paragraphsOf(prose).flat();
}

/** The same, those of one paragraph together: a blank line or a code block ends it. */
export function paragraphsOf(prose: string): string[][] {
  const read =
    prose.length <= 2 * PROSE_CHARS ? prose : `${prose.slice(0, PROSE_CHARS)}\n${prose.slice(-PROSE_CHARS)}`;
  const paragraphs: string[][] = [[]];
  let inCode = false;
  let lines: string[] = [];
  const end = (): void => {
    for (const sentence of lines.join('\n').split(/(?<=[.!?])\s+|(?<=[。！？])/))
      if (/\p{L}{2}/u.test(sentence)) paragraphs.at(-1)!.push(sentence.trim());
    lines = [];
  };
  for (const line of read.split('\n')) {
    const isFence = line.trimStart().startsWith('```');
    if (isFence) inCode = !inCode;
    if (isFence || inCode || line.trim() === '') {
      end();
      paragraphs.push([]);
    } else {
      if (lines.length > 0 && !isWrapped(lines, line)) end();
      lines.push(line.trimEnd());
    }
  }
  end();
  return paragraphs.filter((paragraph) => paragraph.length > 0);
}

/** A shorter line was ended by its writer, not by its width. In characters. */
const WRAPPED_CHARS = 40;
const GOES_ON = /^\s*[\p{Ll}(`"'“‘]/u;
const BEGINS = /^\s*(?:[-*+•>#|]\s|\d{1,3}[.)]\s|[a-z][.)]\s|\[[ xX]\])/;
const IS_INDENTED = /^(?: {2}|\t)/;

/** Whether a sentence goes on from one line to the next because the line was full; behind an item, an indent says so too. */
function isWrapped(lines: readonly string[], next: string): boolean {
  const line = lines.at(-1)!;
  if (line.length < WRAPPED_CHARS || /[:;]$/.test(line) || BEGINS.test(next)) return false;
  return GOES_ON.test(next) || (IS_INDENTED.test(next) && BEGINS.test(lines[0]!));
}

/** A text with its lines joined, for one that may be wrapped otherwise elsewhere. */
export function joinedLines(text: string): string {
  if (!text.includes('\n')) return text;
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '').join(' ');
}
