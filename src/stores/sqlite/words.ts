import { sql, type RawBuilder } from 'kysely';
import { bestOf, holdersOf, MOST_RANKED } from '../bm25.js';
import type { Database, ScoredRow, Target, WordIndex } from '../sql/index.js';
import { wordsOfMessage, type WordCounts } from '../words.js';

/** Rows that hold the words of one question: FTS5 passes by a million of them in 100 ms. */
const MOST_COUNTED = 1_500_000;

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

  /**
   * FTS5's own BM25, word by word: rows of one word come newest first without being sorted, and of a word that stands in
   * more than `MOST_RANKED` messages only the newest are looked at.
   */
  async search(db, threadId, words, limit) {
    const weighed: { readonly word: string; readonly rows: number }[] = [];
    for (const word of words) weighed.push({ word, rows: await rowsOf(db, threadId, word) });
    weighed.sort((a, b) => a.rows - b.rows);
    const scores = new Map<number, number>();
    let counted = 0;
    for (const { word, rows } of weighed) {
      // Its rarity is taken from all rows that hold it: of many such words the commonest tell nothing.
      if (counted > 0 && counted + rows > MOST_COUNTED) break;
      counted += rows;
      const found = await sql<ScoredRow>`
        select rowid & 4294967295 as seq, -bm25(spillway_words) as score
        from spillway_words
        where spillway_words match ${quoted(word)} and ${ofThread(threadId)}
        order by rowid desc
        limit ${MOST_RANKED}`.execute(db);
      for (const { seq, score } of found.rows) scores.set(seq, (scores.get(seq) ?? 0) + score);
    }
    return bestOf(scores, limit);
  },
};

const quoted = (word: string): string => `"${word}"`;

const ofThread = (threadId: number): RawBuilder<unknown> =>
  sql`rowid between (${threadId} << 32) and ((${threadId} << 32) | 4294967295)`;

/** Messages of a thread that hold a word; where they are many, by how near together the newest ones are. */
async function rowsOf(db: Database, threadId: number, word: string): Promise<number> {
  const { rows } = await sql<{ readonly rows: number; readonly oldest: number | null }>`
    select count(*) as rows, min(seq) as oldest from (
      select rowid & 4294967295 as seq from spillway_words
      where spillway_words match ${quoted(word)} and ${ofThread(threadId)}
      order by rowid desc
      limit ${MOST_RANKED})`.execute(db);
  const { rows: seen, oldest } = rows[0]!;
  if (seen < MOST_RANKED) return seen;
  const { messages } = await db
    .selectFrom('spillway_thread')
    .select('messages')
    .where('id', '=', threadId)
    .executeTakeFirstOrThrow();
  return holdersOf(seen, messages - (oldest ?? 0), messages);
}

/** Each word as often as it was said. */
function spelled(counts: WordCounts): string {
  const words: string[] = [];
  for (const [word, count] of counts) {
    for (let i = 0; i < count; i++) words.push(word);
  }
  return words.join(' ');
}
