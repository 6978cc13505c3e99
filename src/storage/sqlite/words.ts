import { sql } from 'kysely';
import type { Found, Target, WordIndex } from '../sql/index.js';
import { wordsOfMessage, type WordCounts } from '../words.js';

const WORDS: Target = {
  name: 'spillway_words',
  columns: [
    ['rowid', 'bigint'],
    ['words', 'text'],
  ],
};

/**
 * FTS5, which keeps the words alone. A row's number says whose it is, thread << 32 | seq: the rows of a thread are
 * neighbours, and a search reads theirs only. The tokenizer takes our words as they are.
 */
export const sqliteWords: WordIndex = {
  async create(db) {
    await sql`create virtual table spillway_words using fts5(
      words, content = '', tokenize = "ascii tokenchars '_./:@-'")`.execute(db);
  },

  rows(threadId, messages) {
    const rows = messages.flatMap((message) => {
      const words = spelled(wordsOfMessage(message));
      return words === '' ? [] : [[(BigInt(threadId) << 32n) | BigInt(message.seq), words] as const];
    });
    return { target: WORDS, rows };
  },

  async search(db, threadId, words, limit) {
    const query = words.map((word) => `"${word}"`).join(' OR ');
    const { rows } = await sql<Found>`
      select rowid & 4294967295 as seq, -bm25(spillway_words) as score
      from spillway_words
      where spillway_words match ${query}
        and rowid between (${threadId} << 32) and ((${threadId} << 32) | 4294967295)
      order by score desc, seq desc
      limit ${limit}`.execute(db);
    return rows;
  },
};

/** Each word as often as it was said. */
function spelled(counts: WordCounts): string {
  const words: string[] = [];
  for (const [word, count] of counts) {
    for (let i = 0; i < count; i++) words.push(word);
  }
  return words.join(' ');
}
