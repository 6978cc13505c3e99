/** Constants of BM25 by its authors (Robertson and Zaragoza 2009), which FTS5 uses too. */
export const K1 = 1.2;
export const B = 0.75;

/** Of a word that stands in more messages only so many of the newest are ranked: the rarer words of a question decide. */
export const MOST_RANKED = 2_000;

/** What a word tells: much where it stands in few of the messages. */
export function rarityOf(holders: number, messages: number): number {
  return Math.log(1 + (messages - holders + 0.5) / (holders + 0.5));
}

/** One word of a question in one message: `count` times, in a message of `length` words where others have `mean`. */
export function wordScore(rarity: number, count: number, length: number, mean: number): number {
  return (rarity * count * (K1 + 1)) / (count + K1 * (1 - B + (B * length) / mean));
}

/** Holders of a word in a whole thread, by how many were seen in its newest `span` messages. */
export function holdersOf(seen: number, span: number, messages: number): number {
  return Math.min(messages, Math.round((seen * messages) / Math.max(1, span)));
}

/** The best of them, the newer one of equals. */
export function bestOf(
  scores: ReadonlyMap<number, number>,
  limit: number,
): { readonly seq: number; readonly score: number }[] {
  return [...scores]
    .sort(([a, scoreA], [b, scoreB]) => scoreB - scoreA || b - a)
    .slice(0, Math.max(0, limit))
    .map(([seq, score]) => ({ seq, score }));
}
