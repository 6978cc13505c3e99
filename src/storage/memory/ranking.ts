import type { LogMessage } from '../../transcript/index.js';
import type { SearchHit } from '../../spi/index.js';
import { wordsOfMessage, wordsOfQuery } from '../words.js';

/** BM25 with the constants of its authors (Robertson and Zaragoza 2009), which FTS5 uses too. */
const K1 = 1.2;
const B = 0.75;

/** Of a word that stands in more messages only so many of the newest are ranked: the rarer words of a question decide. */
const MOST_RANKED = 5_000;

/** A log, or a list of all its messages. */
interface Messages {
  readonly length: number;
  at(seq: number): LogMessage | undefined;
}

interface Posting {
  readonly seq: number;
  readonly count: number;
}

/** Finds messages of one thread by their words. Reads a message when it is first searched for, once. */
export class MessageRanking {
  readonly #postings = new Map<string, Posting[]>();
  readonly #lengths: number[] = [];
  #total = 0;

  search(log: Messages, query: string, limit: number): SearchHit[] {
    for (let seq = this.#lengths.length; seq < log.length; seq++) this.#add(log.at(seq)!);
    const mean = this.#total / this.#lengths.length;
    const scores = new Map<number, number>();
    for (const word of wordsOfQuery(query)) {
      const postings = this.#postings.get(word) ?? [];
      const rarity = Math.log(1 + (log.length - postings.length + 0.5) / (postings.length + 0.5));
      for (const { seq, count } of postings.slice(-MOST_RANKED)) {
        const damped = count + K1 * (1 - B + (B * this.#lengths[seq]!) / mean);
        scores.set(seq, (scores.get(seq) ?? 0) + (rarity * count * (K1 + 1)) / damped);
      }
    }
    return [...scores]
      .sort(([a, scoreA], [b, scoreB]) => scoreB - scoreA || b - a)
      .slice(0, Math.max(0, limit))
      .map(([seq, score]) => ({ seq, messageId: log.at(seq)!.id, score }));
  }

  #add(message: LogMessage): void {
    let length = 0;
    for (const [word, count] of wordsOfMessage(message)) {
      const postings = this.#postings.get(word);
      if (postings) postings.push({ seq: message.seq, count });
      else this.#postings.set(word, [{ seq: message.seq, count }]);
      length += count;
    }
    this.#lengths.push(length);
    this.#total += length;
  }
}
