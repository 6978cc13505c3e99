/**
 * Longest run that byte-pair merging sees in one go, in UTF-8 bytes. Merging is quadratic in the run: 200,000 x's took
 * 38 s, 120,000 Chinese characters without a stop 75 s; in pieces of 512 bytes, 200,000 random letters take 0.4 s and
 * as many random Chinese characters about 1 s. A lower bound costs accuracy, a higher one time. A cut costs a token or
 * two too many: 0.02 % on random letters, more only where a run repeats one very long token.
 */
const MAX_RUN_BYTES = 512;

/** A word of no more UTF-16 units than this is surely within the bound: a unit takes three bytes at most. */
export const MAX_RUN_CHARS = Math.floor(MAX_RUN_BYTES / 3);

/** Cuts a run into pieces of about `MAX_RUN_BYTES`, never inside a surrogate pair. */
export function cutRun(run: string): readonly string[] {
  const bytes = Buffer.byteLength(run);
  if (bytes <= MAX_RUN_BYTES) return [run];
  const step = Math.floor((MAX_RUN_BYTES * run.length) / bytes);
  const pieces: string[] = [];
  let start = 0;
  for (let end = step; end < run.length; end = start + step) {
    if (splitsPair(run, end)) end += 1;
    pieces.push(run.slice(start, end));
    start = end;
  }
  if (start < run.length) pieces.push(run.slice(start));
  return pieces;
}

function splitsPair(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
}
