import type { LogMessage } from '../../transcript/index.js';
import type { SearchHit } from '../../spi/index.js';
import { bestOf, MOST_RANKED, rarityOf, wordScore } from '../bm25.js';
import { wordsOfMessage, wordsOfQuery } from '../words.js';

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
      const rarity = rarityOf(postings.length, log.length);
      for (const { seq, count } of postings.slice(-MOST_RANKED)) {
        scores.set(seq, (scores.get(seq) ?? 0) + wordScore(rarity, count, this.#lengths[seq]!, mean));
      }
    }
    return bestOf(scores, limit).map(({ seq, score }) => ({ seq, messageId: log.at(seq)!.id, score }));
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
