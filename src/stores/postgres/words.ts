import { sql } from 'kysely';
import { bestOf, holdersOf, MOST_RANKED, rarityOf, wordScore } from '../bm25.js';
import type { Database, Target, WordIndex } from '../sql/index.js';
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
   * BM25. Words that many of the newest messages hold are ranked in those alone; for the others the index is asked, and
   * of what it finds the messages with the rarest words are looked at. Nothing is read of the rest.
   */
  async search(db, threadId, words, limit) {
    const thread = await db
      .selectFrom('spillway_thread')
      .select('messages')
      .where('id', '=', threadId)
      .executeTakeFirstOrThrow();
    const window = await readNewest(db, threadId, words);
    const isCommon = (word: string): boolean => (window.holders.get(word) ?? 0) > COMMON_SHARE * window.span;
    const older = window.from === 0 ? [] : words.filter((word) => !isCommon(word));
    const found = older.length === 0 ? [] : await readOlder(db, threadId, older, window.from);
    const rarities = new Map(
      words.map((word): [string, number] => {
        const seen = window.holders.get(word) ?? 0;
        const holders = isCommon(word)
          ? holdersOf(seen, window.span, thread.messages)
          : seen + found.filter((one) => one.word === word).length;
        return [word, rarityOf(holders, thread.messages)];
      }),
    );
    const promising = new Map<number, number>();
    for (const { word, seq } of found) promising.set(seq, (promising.get(seq) ?? 0) + rarities.get(word)!);
    const seqs = bestOf(promising, MOST_RANKED).map(({ seq }) => seq);
    const rows = [...window.rows, ...(seqs.length === 0 ? [] : await readRows(db, threadId, words, seqs))];
    const mean = rows.reduce((sum, { length }) => sum + length, 0) / Math.max(1, rows.length);
    const scores = new Map<number, number>();
    for (const { seq, word, count, length } of rows) {
      scores.set(seq, (scores.get(seq) ?? 0) + wordScore(rarities.get(word)!, count, length, mean));
    }
    return bestOf(scores, limit);
  },
};

/** Of the newest messages; a word that more of them hold is common. */
const COMMON_SHARE = 0.02;
/** Bytes of vectors, as they are stored: a few large messages are no reason to wait. */
const MAX_NEWEST_BYTES = 8_000_000;

/** A word in a message: how often, and of how many words. */
interface WordRow {
  readonly seq: number;
  readonly word: string;
  readonly count: number;
  readonly length: number;
}

interface Newest {
  /** First message that was looked at, and how many were. */
  readonly from: number;
  readonly span: number;
  readonly rows: readonly WordRow[];
  /** By word: how many of them hold it. */
  readonly holders: ReadonlyMap<string, number>;
}

/** Which words stand in the newest messages, each vector taken apart once. */
async function readNewest(db: Database, threadId: number, words: readonly string[]): Promise<Newest> {
  const { rows } = await sql<Partial<WordRow> & { readonly oldest: number | null; readonly span: number }>`
    with sized as (
      select seq, words, sum(pg_column_size(words)) over (order by seq desc) - pg_column_size(words) as before
      from (
        select seq, words from spillway_words where thread_id = ${threadId} order by seq desc limit ${MOST_RANKED}
      ) as last
    ), newest as materialized (
      select seq, words from sized where before < ${MAX_NEWEST_BYTES}
    ), held as (
      select seq, length(words) as length, lexeme as word, cardinality(positions) as count
      from newest, unnest(words)
      where lexeme = any(${words}::text[])
    )
    select held.*, bounds.oldest, bounds.span
    from (select min(seq) as oldest, cast(count(*) as integer) as span from newest) as bounds left join held on true`.execute(
    db,
  );
  const [{ oldest, span } = { oldest: null, span: 0 }] = rows;
  const held = rows.filter((row): row is (typeof rows)[number] & WordRow => typeof row.word === 'string');
  const holders = new Map<string, number>();
  for (const { word } of held) holders.set(word, (holders.get(word) ?? 0) + 1);
  return { from: oldest ?? 0, span, rows: held, holders };
}

/** Which messages before a place hold which of the words: from the index alone. */
async function readOlder(
  db: Database,
  threadId: number,
  words: readonly string[],
  before: number,
): Promise<readonly { readonly word: string; readonly seq: number }[]> {
  const queries = words.map((word) => `${lexeme(threadWord(threadId))} & ${lexeme(word)}`);
  const { rows } = await sql<{ readonly word: string; readonly seq: number }>`
    select asked.word, found.seq
    from unnest(${words}::text[], ${queries}::text[]) as asked (word, query),
      lateral (
        select seq from spillway_words where words @@ asked.query::tsquery and seq < ${before} limit ${MOST_RANKED}
      ) as found`.execute(db);
  return rows;
}

async function readRows(
  db: Database,
  threadId: number,
  words: readonly string[],
  seqs: readonly number[],
): Promise<readonly WordRow[]> {
  const { rows } = await sql<WordRow>`
    select seq, length(words) as length, lexeme as word, cardinality(positions) as count
    from spillway_words, unnest(words)
    where thread_id = ${threadId} and seq = any(${seqs}::bigint[]) and lexeme = any(${words}::text[])`.execute(
    db,
  );
  return rows;
}

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
