import Libsql from 'libsql';
import pg from 'pg';

/** A database through its own driver, without our code: one row per durable commit, again and again. */
export interface BareDatabase {
  commit(body: string): Promise<void>;
  close(): Promise<void>;
}

/** Opens the database with the same durability settings as the store at `url`, but a table of its own. */
export async function openBare(url: string): Promise<BareDatabase> {
  if (url.startsWith('sqlite:')) {
    const database = new Libsql(`${url.slice('sqlite:'.length)}.bare`);
    database.exec(
      'pragma journal_mode = wal; pragma synchronous = full; create table if not exists bare (seq integer primary key, body text)',
    );
    const insert = database.prepare('insert into bare (body) values (?)');
    return {
      async commit(body) {
        insert.run([body]);
      },
      async close() {
        database.close();
      },
    };
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    'create table if not exists bare (seq bigint generated always as identity primary key, body text)',
  );
  return {
    async commit(body) {
      await client.query('insert into bare (body) values ($1)', [body]);
    },
    close: () => client.end(),
  };
}
