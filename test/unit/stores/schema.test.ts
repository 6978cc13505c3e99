import { readFileSync } from 'node:fs';
import Libsql from 'libsql';
import type { Migration } from 'kysely';
import { createSpillway } from '../../../src/index.js';
import { openPostgres } from '../../../src/stores/postgres/index.js';
import type { SessionStore } from '../../../src/spi/index.js';
import { migrationsOf, type Dialect, type Migrations } from '../../../src/stores/sql/index.js';
import { SHAPES } from '../../../src/stores/sql/tables.js';
import { openSqlite } from '../../../src/stores/sqlite/index.js';
import { proxied } from '../../acceptance/service/proxied.js';
import { postgresOfFile } from '../../support/postgres.js';
import { cleanUp, newFile, opened } from './support.js';
import { expectWhole, schemaV1 } from './schema-v1/index.js';

cleanUp();

const server = postgresOfFile();

/** One database of each kind: where it is, how to run statements on it, how to open it with steps to come. */
interface Place {
  readonly url: string;
  run(sql: string): Promise<unknown>;
  rows(sql: string): Promise<unknown[]>;
  open(migrations: (dialect: Dialect) => Migrations): Promise<SessionStore>;
}

/** What docs/stores.md tells to run. */
function deletionOf(id: string): string {
  const page = readFileSync('docs/stores.md', 'utf8');
  const [, statements] = /## To delete a session[^]*?```sql\n([^]*?)```/.exec(page)!;
  return statements!.replaceAll('ticket-4711', id);
}

const PARTS = { nowMs: Date.now, patienceMs: 2_000 };
const PLACES: readonly (readonly ['sqlite' | 'postgres', () => Promise<Place>])[] = [
  [
    'sqlite',
    async () => {
      const file = newFile();
      const on = <T>(work: (database: Libsql.Database) => T): T => {
        const database = new Libsql(file);
        try {
          return work(database);
        } finally {
          database.close();
        }
      };
      return {
        url: `sqlite:${file}`,
        run: async (sql) => on((database) => database.exec(sql)),
        rows: async (sql) => on((database) => database.prepare(sql).all([])),
        open: (migrations) => openSqlite(file, { ...PARTS, migrations }),
      };
    },
  ],
  [
    'postgres',
    async () => {
      const url = await server.create();
      return {
        url,
        run: (sql) => server.run(url, sql),
        rows: (sql) => server.run(url, sql),
        open: (migrations) => openPostgres(url, { ...PARTS, migrations }),
      };
    },
  ],
];

const COLUMNS = {
  sqlite: `select m.name as "table", c.name, c.type, c."notnull" from sqlite_master m, pragma_table_info(m.name) c
    where m.type = 'table' order by 1, 2`,
  postgres: `select table_name as "table", column_name as name, data_type as type, is_nullable, is_identity
    from information_schema.columns where table_schema = 'public' order by 1, 2`,
};
const INDEXES = {
  sqlite: `select tbl_name, replace(name, '"', '') as name from sqlite_master where type = 'index' order by 1, 2`,
  postgres: `select tablename, indexname from pg_indexes where schemaname = 'public' order by 1, 2`,
};

/** A step of a release to come. */
const later =
  (up: Migration['up']) =>
  (dialect: Dialect): Migrations => ({ ...migrationsOf(dialect), '0003-later': { up } });
const addColumn = later(async (db) => {
  await db.schema.alterTable('spillway_thread').addColumn('title', 'text').execute();
});

describe.each(PLACES)('the schema on %s', (kind, place) => {
  it('of the first release is migrated to that of a new database', async () => {
    const [made, fixture] = [await place(), await place()];
    await opened(made.url);
    await fixture.run(schemaV1(kind));
    await opened(fixture.url);
    expect(await made.rows(COLUMNS[kind])).toEqual(await fixture.rows(COLUMNS[kind]));
    expect(await made.rows(INDEXES[kind])).toEqual(await fixture.rows(INDEXES[kind]));
  });

  it('of the first release can be opened and all its rows read', async () => {
    const old = await place();
    await old.run(schemaV1(kind));
    await expectWhole(await opened(old.url));
  });

  it('gets the missing migrations, and keeps every row', async () => {
    const old = await place();
    await old.run(schemaV1(kind));
    await (await old.open(addColumn)).close();
    expect(await old.rows('select title from spillway_thread')).toEqual([{ title: null }]);
    const again = await old.open(addColumn);
    await expectWhole(again);
    await again.close();
  });

  it('of a newer release is refused with the name of its migration, and not changed', async () => {
    const newer = await place();
    await (await newer.open(addColumn)).close();
    const before = await newer.rows('select * from spillway_migration');
    const fault = { code: 'STORE_SCHEMA', retryable: false, message: expect.stringContaining('0003-later') };
    await expect(opened(newer.url)).rejects.toMatchObject(fault);
    expect(await newer.rows('select * from spillway_migration')).toEqual(before);
  });

  it('does not change if a migration fails halfway, and the next start applies it', async () => {
    const old = await place();
    await old.run(schemaV1(kind));
    const failing = later(async (db) => {
      await db.schema.alterTable('spillway_thread').addColumn('title', 'text').execute();
      throw new Error('the power went');
    });
    await expect(old.open(failing)).rejects.toMatchObject({ code: 'STORE_FAILED' });
    await expect((async () => old.rows('select title from spillway_thread'))()).rejects.toHaveProperty(
      'message',
    );
    const mended = await old.open(addColumn);
    await expectWhole(mended);
    await mended.close();
  });

  it('with an empty list of migrations is refused, and its rows are kept', async () => {
    const torn = await place();
    await torn.run(schemaV1(kind));
    await torn.run('delete from spillway_migration');
    await expect(opened(torn.url)).rejects.toMatchObject({ code: 'STORE_SCHEMA', retryable: false });
    expect(await torn.rows('select id_key from spillway_message')).toHaveLength(2);
  });

  it('with a migration that its list lacks is refused as incomplete', async () => {
    const torn = await place();
    await (await opened(torn.url)).close();
    await torn.run("delete from spillway_migration where name = '0002-named-events'");
    const fault = {
      code: 'STORE_SCHEMA',
      message: expect.stringContaining('incomplete (at 0002-named-events)'),
    };
    await expect(opened(torn.url)).rejects.toMatchObject(fault);
  });

  it('keeps nothing of a session deleted as docs/stores.md says, and all of another session', async () => {
    const { url, run, rows } = await place();
    const talkOf = (word: string) =>
      Array.from({ length: 30 }, (_, i) => ({
        role: i % 2 === 0 ? 'user' : 'assistant',
        content: `${word} ${i}: ${`the ${word}mill turns `.repeat(40)}`,
      }));
    const start = () =>
      createSpillway({
        inputBudget: 4_000,
        store: url,
        summarizer: {
          name: 'echo',
          endpoint: 'here',
          summarize: async ({ source }) => ({
            text: `The user says: ${source.join(' ').slice(0, 400)}`,
            finishReason: 'stop',
          }),
        },
        settings: { thresholds: { autoThreshold: 0.88 } },
      });
    const first = await start();
    const [gone, stays] = [await first.open({ id: 'gone' }), await first.open({ id: 'stays' })];
    for (const [session, word] of [[gone, 'wind'] as const, [stays, 'water'] as const]) {
      await session.follow({ messages: talkOf(word).slice(0, -1) });
      await session.prepare();
      expect(session.operator.history.length).toBeGreaterThan(0);
    }
    const view = JSON.stringify(stays.view);
    await first.close();
    const said = async (): Promise<string> => {
      const tables = Object.keys(SHAPES).map((table) => rows(`select * from ${table}`));
      return JSON.stringify(await Promise.all(tables));
    };
    expect(await said()).toContain('windmill');
    expect(await rows('select * from spillway_artifact')).not.toHaveLength(0);
    await run(deletionOf('gone'));
    expect(await said()).not.toContain('windmill');
    const again = await start();
    expect(JSON.stringify((await again.open({ id: 'stays' })).view)).toBe(view);
    expect((await again.open({ id: 'gone' })).view).toEqual([]);
    await again.close();
  });

  it('keeps no value of a service about a session deleted so, and all values about another', async () => {
    const { url, run, rows } = await place();
    const { service, emulator } = await proxied({}, { store: url });
    const say = async (word: string, model = 'm') => {
      const messages = Array.from({ length: 11 }, (_, i) => ({
        role: i % 2 === 0 ? 'user' : 'assistant',
        content: `${word} ${i} ${'turns '.repeat(i === 0 ? 1 : 400)}`,
      }));
      const answer = await service.send('/v1/chat/completions', { model, messages });
      return answer.headers.get('x-spillway-session')!;
    };
    const limit = { message: 'maximum context length is 3000 tokens', code: 'context_length_exceeded' };
    emulator.script = [{ status: 400, body: { error: limit } }, 'good'];
    const [gone, stays] = [await say('wind', 'small'), await say('water')];
    for (const id of [gone, stays]) {
      const planned = await service.send(`/api/v1/sessions/${id}/plans`, {
        strategy: 'drop',
        lower_threshold: 0.001,
      });
      expect(await planned.json()).toMatchObject({ kind: 'planned' });
    }
    await service.close();
    const valuesOf = async (id: string): Promise<unknown[]> =>
      (await rows('select * from spillway_value')).filter((row) => JSON.stringify(row).includes(id));
    const scopes = (await valuesOf(gone)).map(
      (row) => (row as { scope_key: string }).scope_key.split(' ')[0],
    );
    const expected = ['learned-limits', 'proxy.beginnings', 'service.plans', 'service.sessions'];
    expect([...new Set(scopes)].sort()).toEqual(expected);
    const kept = await valuesOf(stays);
    expect(kept).not.toEqual([]);
    await run(deletionOf(gone));
    expect(await valuesOf(gone)).toEqual([]);
    expect(await valuesOf(stays)).toEqual(kept);
  });

  it('is made once by several who open it at the same moment', async () => {
    const { url } = await place();
    const stores = await Promise.all(Array.from({ length: 6 }, () => opened(url, { patienceMs: 20_000 })));
    expect(await Promise.all(stores.map((store) => store.threads()))).toEqual(stores.map(() => []));
  });
});
