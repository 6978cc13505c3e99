import { execFile } from 'node:child_process';
import { chmodSync, closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import Libsql from 'libsql';
import { createContainer, openSpillway, SERVICES } from '../../../src/container/index.js';
import { createSpillway, listSessions, openStore, SpillwayError } from '../../../src/index.js';
import type { SessionStore, Spillway } from '../../../src/index.js';
import { freePort, postgresOfFile } from '../../support/postgres.js';
import { schemaV1 } from '../../unit/stores/schema-v1/index.js';
import { quarter, says, user } from '../../support/chats.js';
import { engine, read, shownText, spillway, talk, temporaryFolder, said, logged } from '../support.js';
import { KINDS, place } from './stores.js';

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const folder = temporaryFolder();
chmodSync(folder.path, 0o755);
const engines: Spillway[] = [];
const server = postgresOfFile();
afterEach(async () => {
  if (isRoot) process.seteuid?.(0);
  for (const one of engines.splice(0)) await one.close();
});

const LONG = read([user('Build a mill.'), says('Gladly.'), ...talk(24, 150)]);
let made = 0;
/** A file with one session, which was compacted and closed. */
async function filled(): Promise<string> {
  const file = join(folder.path, `${++made}.db`);
  const spillwayOn = await engine(6_000, {}, { store: `sqlite:${file}` });
  const session = await spillwayOn.open({ id: 'mill' });
  await session.append(...LONG);
  await session.operator.compact({ target: 0.3 });
  await spillwayOn.close();
  return file;
}

function change(file: string, sql: string): void {
  const database = new Libsql(file);
  database.exec(sql);
  database.close();
}

/** Each gives the URL of a store that cannot be used, with the code and the words of its error. */
const UNUSABLE: readonly (readonly [
  what: string,
  code: string,
  words: RegExp,
  make: () => Promise<string>,
])[] = [
  ['an unknown kind of database', 'STORE_UNKNOWN', /sqlite:FILE/, async () => 'mysql://me:s3cr3t@host/db'],
  [
    'a file that is no database',
    'STORE_DAMAGED',
    /not a database/,
    async () => `sqlite:${folder.file('diary.db', 'a diary, not a database. '.repeat(400))}`,
  ],
  [
    'a file with a damaged page',
    'STORE_DAMAGED',
    /Restore it from a copy/,
    async () => {
      const file = await filled();
      const database = new Libsql(file);
      const { rootpage } = database
        .prepare("select rootpage from sqlite_master where name = 'spillway_message'")
        .get([]) as { rootpage: number };
      database.close();
      const descriptor = openSync(file, 'r+');
      writeSync(descriptor, Buffer.alloc(4_096, 0xa5), 0, 4_096, (rootpage - 1) * 4_096);
      closeSync(descriptor);
      return `sqlite:${file}`;
    },
  ],
  [
    'a file that a newer release has written',
    'STORE_SCHEMA',
    /0009-later/,
    async () => {
      const file = await filled();
      change(file, "insert into spillway_migration values ('0009-later', '2031-01-01')");
      return `sqlite:${file}`;
    },
  ],
  [
    'a ledger that a newer release has written, in the tables of this one',
    'STORE_SCHEMA',
    /blessing/,
    async () => {
      const file = await filled();
      change(
        file,
        `insert into spillway_entry values (1, 1, 'blessing', 1, '{"event":{"kind":"blessing"},"writer":"w"}');
         update spillway_thread set entries = 2`,
      );
      return `sqlite:${file}`;
    },
  ],
  [
    'a file that may not be written',
    'STORE_DENIED',
    /Let this user write/,
    async () => {
      const file = await filled();
      // The command line reads its own files as root: a checkout may be in a place that no other user may read.
      await spillway(['history', 'mill', '--store', `sqlite:${file}`]);
      chmodSync(file, 0o444);
      // Root may write anywhere.
      if (isRoot) process.seteuid?.(NOBODY);
      return `sqlite:${file}`;
    },
  ],
  [
    'a password that is wrong',
    'STORE_DENIED',
    /password/,
    async () => (await server.create()).replace(server.password, 's3cr3t'),
  ],
  [
    'a database that nobody made',
    'STORE_FAILED',
    /Create the database/,
    async () => (await server.create()).replace(/test_\d+$/, 'nobody_made_it'),
  ],
  [
    'a server that is not there',
    'STORE_FAILED',
    /Start the server/,
    async () => `postgres://me:s3cr3t@127.0.0.1:${await freePort()}/db`,
  ],
];

describe.each(UNUSABLE)('%s', (_, code, words, make) => {
  it(`is reported as ${code}, by the library and by the command line`, async () => {
    const store = await make();
    const opening = (async () => {
      const one = await createSpillway({ store, inputBudget: 6_000, settings: { counter: 'heuristic' } });
      engines.push(one);
      return (await one.open({ id: 'mill' })).load();
    })();
    const error = await opening.then(
      () => undefined,
      (thrown: unknown) => thrown as SpillwayError,
    );
    expect(error).toBeInstanceOf(SpillwayError);
    expect(error).toMatchObject({ code, message: expect.stringMatching(words) });
    const told = await spillway(['history', 'mill', '--store', store]);
    expect([told.code, told.out]).toEqual([1, '']);
    expect(told.err).toContain(code);
    expect(told.err).toMatch(words);
    const shown = JSON.stringify([error!.message, error!.faults, error!.facts, error!.stack, told.err]);
    for (const secret of ['s3cr3t', server.password]) expect(shown).not.toContain(secret);
    // Lines for people, without a stack trace.
    expect(told.err).not.toMatch(/\n\s+at /);
  });
});

describe('an older schema', () => {
  it('is brought forward when a session is opened, and the session goes on', async () => {
    const file = join(folder.path, 'older.db');
    change(file, schemaV1('sqlite', { rows: false }));
    change(file, "insert into spillway_migration values ('0001-sessions', '2026-11-22')");
    const store = `sqlite:${file}`;
    const first = await engine(6_000, {}, { store });
    engines.push(first);
    const session = await first.open({ id: 'mill' });
    await session.append(...LONG);
    await session.operator.compact({ target: 0.3 });
    expect((await spillway(['sessions', '--store', store])).out).toMatch(/^mill {2}primary {2}50 messages/);
  });

  it('with a checkpoint of another form is read from log and ledger', async () => {
    const file = await filled();
    const look = async () => {
      const one = await engine(6_000, {}, { store: `sqlite:${file}` });
      engines.push(one);
      return (await one.open({ id: 'mill' })).view.map(shownText);
    };
    const before = await look();
    for (const body of ['{"version":0,"tail":[]}', '{"version":5,"messages":50,"states":{}}']) {
      change(file, `update spillway_checkpoint set body = '${body}'`);
      expect(await look()).toEqual(before);
      const { out } = await spillway(['sessions', '--store', `sqlite:${file}`]);
      expect(out).toMatch(/^mill {2}primary {2}50 messages/);
    }
  });
});

it('a learned limit that is damaged in the store does not keep a session from being opened', async () => {
  const file = await filled();
  change(file, `insert into spillway_value values ('learned-limits', 'x', 'x', '{')`);
  const one = await engine(6_000, {}, { store: `sqlite:${file}` });
  engines.push(one);
  const session = await one.open({ id: 'mill' });
  await session.append(said('more'));
  expect((await session.prepare()).run.kind).toBe('below-gate');
});

it('usage of a kind that only a newer release knows is left out of the costs, and keeps no session from being opened', async () => {
  const file = await filled();
  change(
    file,
    `insert into spillway_usage (thread_id, line, model, calls, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, cost, unpriced)
     values (1, 'blessing', 'm', 1, 2, 0, 0, 0, 0.5, 0), (1, 'primary', 'n', 3, 4, 0, 0, 0, 0.5, 0)`,
  );
  const one = await engine(6_000, {}, { store: `sqlite:${file}` });
  engines.push(one);
  const session = await one.open({ id: 'mill' });
  expect((await session.prepare()).run.kind).toBe('below-gate');
  expect(session.operator.costs.primary).toMatchObject({ calls: 3, inputTokens: 4 });
  expect(await one.projectCosts()).not.toHaveProperty('blessing');
});

it('a body that is no JSON is told with what it is of', async () => {
  const file = await filled();
  for (const table of ['message', 'entry', 'checkpoint', 'event'])
    change(file, `update spillway_${table} set body = '{'`);
  change(file, "insert into spillway_value values ('service', 'knobs', 'knobs', '{')");
  const store = await openStore(`sqlite:${file}`);
  const key = { sessionId: 'mill', agentPath: 'primary' };
  for (const [asked, what] of [
    [store.messages(key, 0), 'a message'],
    [store.entries(key, 0), 'an entry'],
    [store.load(key), 'a checkpoint'],
    [store.events(key), 'an event'],
    [store.value('service', 'knobs'), 'the value "knobs" of service'],
    [store.values('service'), 'the value "knobs" of service'],
  ] as const)
    await expect(asked).rejects.toMatchObject({
      code: 'STORE_DAMAGED',
      message: expect.stringContaining(what),
    });
  await store.close();
});

it('an event that is none is told as STORE_DAMAGED by who reads events, and by nobody else', async () => {
  const file = await filled();
  change(file, "update spillway_event set body = 'null'");
  const one = await engine(6_000, {}, { store: `sqlite:${file}` });
  engines.push(one);
  const session = await one.open({ id: 'mill' });
  await session.prepare();
  await expect(session.operator.audit()).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
});

it.each([
  "update spillway_message set body = '{}' where seq = 1",
  'delete from spillway_message where seq = 1',
  'update spillway_thread set messages = messages + 5',
  "update spillway_entry set body = '{}'",
  "update spillway_entry set body = 'null'",
  'update spillway_entry set body = \'{"event":{"kind":"commit"}}\'',
  'delete from spillway_entry where seq = 0',
  ...['inputs', 'edits[0]', 'edits[0].replacement', 'after', 'floor.parts'].map(
    (path) => `update spillway_entry set body = json_set(body, '$.event.record.plan.${path}', null)`,
  ),
  ...['"propose","proposal":{"plan":null}', '"undo","records":["c1"]', '"rollback","records":[]'].map(
    (event) => `update spillway_entry set body = '{"event":{"kind":${event}}}'`,
  ),
  `insert into spillway_event (thread_id, kind, at, body) values (1, 'call', 1, '{"kind":"call","body":null}')`,
])('a session whose rows are damaged is reported as STORE_DAMAGED: %s', async (sql) => {
  const file = await filled();
  change(file, sql);
  const opening = (async () => {
    const one = await engine(6_000, {}, { store: `sqlite:${file}` });
    engines.push(one);
    return (await one.open({ id: 'mill' })).load();
  })();
  await expect(opening).rejects.toMatchObject({ code: 'STORE_DAMAGED', retryable: false });
});

it.each(KINDS)('a clock that gives no time does not keep a session from being stored (%s)', async (kind) => {
  let turn = 0;
  const nowMs = (): number => [NaN, Infinity, -Infinity, 2_000_000_000_000][turn++ % 4]!;
  const { store, again } = await place(kind, { nowMs });
  const openOn = async (on: SessionStore) => {
    const container = createContainer();
    container.bind(SERVICES.TokenCounter).toConstantValue(quarter);
    container.bind(SERVICES.Store).toConstantValue(on);
    container.rebind(SERVICES.Effects).toConstantValue({ clock: nowMs, timer: () => performance.now() });
    const one = await openSpillway(container, { settings: { window: 6_000, reserve: { output: 0 } } });
    return one.open({ id: 'mill' });
  };
  const session = await openOn(store);
  for (const message of LONG) {
    await session.append(message);
    await session.prepare();
    await session.observe({ inputTokens: 2_000 });
  }
  expect(session.operator.history.length).toBeGreaterThan(0);
  const reopened = await (await openOn(await again())).load();
  expect(reopened.log.length).toBe(session.log.length);
  expect(reopened.operator.history).toEqual(session.operator.history);
  const times = [
    ...reopened.operator.calls.map(({ at }) => at),
    ...(await reopened.operator.audit()).map(({ at }) => at),
  ];
  expect(times.filter((at) => !Number.isFinite(at))).toEqual([]);
});

it.each(KINDS)(
  'a clock that goes backwards does not change the order of what was done (%s)',
  async (kind) => {
    let now = 2_000_000_000_000;
    const nowMs = (): number => (now -= 60_000);
    const { again } = await place(kind, { nowMs });
    const openOn = async (id: string) => {
      const container = createContainer();
      container.bind(SERVICES.TokenCounter).toConstantValue(quarter);
      container.bind(SERVICES.Store).toConstantValue(await again());
      container.rebind(SERVICES.Effects).toConstantValue({ clock: nowMs, timer: () => performance.now() });
      const one = await openSpillway(container, { settings: { window: 6_000, reserve: { output: 0 } } });
      return one.open({ id });
    };
    const session = await openOn('mill');
    await session.append(...LONG);
    for (let call = 0; call < 3; call++) {
      await session.prepare();
      await session.observe({ inputTokens: 2_000 + call });
      await session.append(said(`s${call}`));
    }
    await session.operator.undo();
    await session.operator.release();
    await session.operator.compact({ target: 0.2 });
    await session.operator.flag('c2', 'good');
    await (await openOn('other')).append(said('x'));
    await session.append(said('last'));

    const reopened = await (await openOn('mill')).load();
    expect(reopened.view.map(shownText)).toEqual(session.view.map(shownText));
    expect(reopened.operator.history).toMatchObject([
      { id: 'c1', status: 'undone' },
      { id: 'c2', status: 'committed', flag: 'good' },
    ]);
    expect(reopened.operator.calls.map(({ usage }) => usage!.inputTokens)).toEqual([2_000, 2_001, 2_002]);
    expect(reopened.operator.netCosts).toEqual(session.operator.netCosts);
    const kinds = (await reopened.operator.audit()).map(({ kind: what }) => what.replace('compaction.', ''));
    expect(kinds).toEqual(['triggered', 'completed', 'undone', 'triggered', 'completed', 'flagged']);
    expect((await listSessions(await again())).map(({ sessionId }) => sessionId).sort()).toEqual([
      'mill',
      'other',
    ]);
  },
);

describe('ids with quotes, newlines and characters of the shell', () => {
  /** An agent path is a key of settings and of addresses too, so that only few characters are allowed in it. */
  const AGENT = 'primary/code reviewer: à b@c+d._-';
  const ODD = `a "quoted" 'id'\n\u001b[31m; drop table spillway_message; --\0 %s $(rm) \\ ../..`;

  it.each(KINDS)('name sessions and messages like any other (%s)', async (kind) => {
    const { store, again } = await place(kind);
    const open = async (on = store) =>
      (await engine(6_000, {}, { store: on })).open({ id: ODD, agentPath: AGENT });
    const session = await open();
    const odd = LONG.map((message) => ({ ...message, id: `${ODD}${message.id}..#0` }));
    await session.append(...odd);
    await session.operator.compact({ target: 0.3 });
    await session.prepare();
    await session.observe({ inputTokens: 900 });
    const reopened = await (await open(await again())).load();
    expect(reopened.log.at(3).id).toBe(odd[3]!.id);
    expect(reopened.view.map(shownText)).toEqual(session.view.map(shownText));
    const superseded = await reopened.recall({ handle: odd[4]!.id });
    expect(superseded).toMatchObject([
      { handle: odd[4]!.id, text: shownText({ message: odd[4]! } as never) },
    ]);
    const edit = reopened.operator.history[0]!.plan.edits.find((one) => one.kind === 'supersede')!;
    const span = await reopened.recall({ handle: `${edit.fromId}..${edit.toId}`, maxTokens: 20_000 });
    expect(span.length).toBeGreaterThan(10);
    await reopened.operator.rollback(odd[5]!.id);
    expect(reopened.log.length).toBe(6);
    expect((await reopened.operator.explainCall(1)).messages).toHaveLength(odd.length);
  });

  it('are printed in one line by the command line, and accepted by it', async () => {
    const store = `sqlite:${join(folder.path, 'odd.db')}`;
    const first = await engine(6_000, {}, { store });
    const session = await first.open({ id: ODD });
    await session.append({ ...said(`1\n2`), parts: [{ type: 'text', text: 'The key is K-4711.' }] });
    await first.close();
    const { out } = await spillway(['sessions', '--store', store]);
    expect(out.trimEnd().split('\n')).toHaveLength(1);
    expect(out).toContain(`a "quoted" 'id'\\n\\u001b[31m; drop table`);
    expect(out).not.toContain('\u001b');
    const plain = await spillway(['recall', ODD, '--store', store, '--handle', '1\n2']);
    expect(plain.out).toContain('The key is K-4711.');
    const transcript = await spillway(['history', ODD, '--store', store, '--transcript']);
    expect(transcript.out.trimEnd().split('\n')).toHaveLength(1);
  });
});

it('two processes on one file of SQLite lose, double or compact nothing twice in one session', async () => {
  const store = `sqlite:${join(folder.path, 'two.db')}`;
  const run = promisify(execFile);
  const COUNT = 12;
  const counts = await Promise.all(
    ['a', 'b'].map((writer) =>
      run(process.execPath, [
        '--import',
        'tsx',
        'test/support/session-worker.ts',
        store,
        writer,
        String(COUNT),
      ]),
    ),
  );
  const one = await createSpillway({ store, inputBudget: 4_000, settings: { counter: 'heuristic' } });
  engines.push(one);
  const session = await (await one.open({ id: 's' })).load();
  const ids = logged(session).map(({ id }) => id);
  for (const writer of ['a', 'b'])
    expect(ids.filter((id) => id.startsWith(writer))).toEqual(
      Array.from({ length: COUNT }, (_, i) => `${writer}.${i}`),
    );
  expect(ids).toHaveLength(2 * COUNT);
  const records = session.operator.ledger.records.map(({ id }) => id);
  expect(records).toEqual(records.map((_, i) => `c${i + 1}`));
  expect(session.operator.history.length).toBeGreaterThan(0);
  // Each of them counted its own, and no other.
  const told = counts.reduce((sum, { stdout }) => sum + Number(stdout.trim()), 0);
  expect(told).toBe(session.operator.history.length);
  expect(session.reading.pressure).toBeLessThan(1);
});
