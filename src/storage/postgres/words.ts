import { sql } from 'kysely';
import type { Found, Target, WordIndex } from '../sql/index.js';
import { wordsOfMessage, type WordCounts } from '../words.js';

/** A vector ends at 2^20 bytes of words and places. */
const MAX_VECTOR_BYTES = 1_000_000;
const BYTES_A_PLACE = 2;
/** The length of the places, and that they begin at an even address. */
const BYTES_A_WORD = 4;
/** More places of one word do not change its rank by a hundredth. */
const MAX_PLACES = 12;
const PLACES = Array.from({ length: MAX_PLACES }, (_, i) => i + 1);

/** Whose a row is stands in its vector, as a word that no text holds: one index then answers "of this thread, these". */
const threadWord = (threadId: number): string => ` ${threadId}`;
const lexeme = (word: string): string => `'${word.replace(/['\\]/g, '$&$&')}'`;

const WORDS: Target = {
  name: 'spillway_words',
  columns: [
    ['thread_id', 'bigint'],
    ['seq', 'bigint'],
    ['words', 'tsvector'],
  ],
};

/** tsvector and GIN. The words are ours: the server's parser would take names and paths apart in its own way. */
export const postgresWords: WordIndex = {
  async create(db) {
    await sql`create table spillway_words (
      thread_id bigint not null, seq bigint not null, words tsvector not null, primary key (thread_id, seq))`.execute(
      db,
    );
    await sql`create index spillway_words_gin on spillway_words using gin (words)`.execute(db);
  },

  rows(threadId, messages) {
    const rows = messages.map((message) => [
      threadId,
      message.seq,
      vectorOf(threadId, wordsOfMessage(message)),
    ]);
    return { target: WORDS, rows };
  },

  /**
   * Rarity of a word (as BM25 has it) times how much of the message it is (`ts_rank` of the single word, which levels off
   * with its count; 1: divided by the logarithm of the length), summed over the words.
   */
  async search(db, threadId, words, limit) {
    const queries = words.map((word) => `${lexeme(threadWord(threadId))} & ${lexeme(word)}`);
    const { rows } = await sql<Found>`
      with asked as (
        select word::tsquery as query, within::tsquery as within
        from unnest(${words.map(lexeme)}::text[], ${queries}::text[]) as one (word, within)
      ), weighed as (
        select query, within, ln(1 + (total.messages - found.rows + 0.5) / (found.rows + 0.5)) as rarity
        from asked,
          (select messages from spillway_thread where id = ${threadId}) as total,
          lateral (select count(*) as rows from spillway_words where words @@ within) as found
      )
      select seq, cast(sum(rarity * ts_rank(words, query, 1)) as double precision) as score
      from weighed join spillway_words on words @@ within
      group by seq
      order by score desc, seq desc
      limit ${limit}`.execute(db);
    return rows;
  },
};

function vectorOf(threadId: number, counts: WordCounts): string {
  const vector = [lexeme(threadWord(threadId))];
  let bytes = 0;
  for (const [word, count] of counts) {
    const places = PLACES.slice(0, count);
    bytes += Buffer.byteLength(word) + BYTES_A_WORD + places.length * BYTES_A_PLACE;
    if (bytes > MAX_VECTOR_BYTES) break;
    vector.push(`${lexeme(word)}:${places.join()}`);
  }
  return vector.join(' ');
}
