/** Prose of one message is read this far from either end. */
const PROSE_CHARS = 12_000;

/** Sentences and list items of a prose, in order; code blocks are left out. */
export function sentencesOf(prose: string): string[] {
  const read =
    prose.length <= 2 * PROSE_CHARS ? prose : `${prose.slice(0, PROSE_CHARS)}\n${prose.slice(-PROSE_CHARS)}`;
  const sentences: string[] = [];
  let inCode = false;
  for (const line of read.split('\n')) {
    if (line.trimStart().startsWith('```')) inCode = !inCode;
    else if (!inCode) {
      for (const sentence of line.split(/(?<=[.!?])\s+|(?<=[。！？])/))
        if (/\p{L}{2}/u.test(sentence)) sentences.push(sentence.trim());
    }
  }
  return sentences;
}
