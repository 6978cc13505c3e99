import { chmodSync, copyFileSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Libsql from 'libsql';
import { openStore, type Message, type Session, type Spillway } from '../../../src/index.js';
import { engine, prose, read, says, shownText, system, talk, user, logged } from '../support.js';

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const folders: string[] = [];
const engines: Spillway[] = [];
afterEach(async () => {
  if (isRoot) process.seteuid?.(0);
  for (const one of engines.splice(0)) await one.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'spillway-faults-'));
  folders.push(folder);
  return join(folder, 'sessions.db');
}

const BUDGET = 6_000;

async function openOn(file: string, options: Parameters<typeof openStore>[1] = {}): Promise<Session> {
  const store = await openStore(`sqlite:${file}`, { patienceMs: 60, ...options });
  const spillway = await engine(BUDGET, {}, { store });
  engines.push(spillway);
  return spillway.open({ id: 'mill' });
}

const LONG = read([system('Be brief.'), user('Build a mill.'), says('Gladly.'), ...talk(24, 150)]);
/** More than freed pages could take. */
const MORE = read(talk(12, 800, 7)).map((message) => ({ ...message, id: `more-${message.id}` }));
const said = (id: string, tokens = 20): Message => ({
  id,
  role: 'user',
  origin: 'user',
  parts: [{ type: 'text', text: prose(tokens, id.length) }],
});

const idsOf = (session: Session): string[] => logged(session).map(({ id }) => id);
const look = (session: Session) => session.view.map((shown) => [shown.message.id, shownText(shown)]);
/** What another process finds in the file. */
const found = async (file: string): Promise<Session> => (await openOn(file)).load();

/** Another connection to the file. */
function other(file: string): Libsql.Database {
  const database = new Libsql(file);
  database.exec('pragma busy_timeout = 0');
  return database;
}

describe('a session whose disk is full', () => {
  const LITTLE_ROOM = 16_384;
  const FULL = { code: 'STORE_FULL', retryable: true };

  /** A session on a file that has no page left. What made it full is in the same file, and can be removed. */
  async function full() {
    const file = newFile();
    const ballast = other(file);
    ballast.exec('create table ballast (body)');
    ballast.exec('insert into ballast values (zeroblob(1000000))');
    ballast.close();
    const first = await openOn(file);
    await first.append(...LONG);
    const { reading } = await first.prepare();
    await first.observe({ inputTokens: reading.tokens });
    await engines.pop()!.close();

    const maxBytes = statSync(file).size + LITTLE_ROOM;
    const session = await (await openOn(file, { maxBytes })).load();
    let error: unknown;
    for (let i = 0; !error; i++) {
      await session.append(said(`fill${i}`)).catch((thrown: unknown) => (error = thrown));
    }
    expect(error).toMatchObject(FULL);
    const makeRoom = (): void => {
      const hand = other(file);
      hand.exec('drop table ballast');
      hand.close();
    };
    return { file, maxBytes, session, makeRoom };
  }

  it('gets STORE_FULL from every call that writes, and what was acknowledged remains as it was', async () => {
    const { file, session } = await full();
    const stored = await found(file);
    expect(idsOf(stored)).toEqual(idsOf(session).slice(0, -1));
    const before = look(stored);
    await expect(session.append(...MORE)).rejects.toMatchObject(FULL);
    await expect(session.prepare()).rejects.toMatchObject(FULL);
    await expect(session.observe({ inputTokens: 5 })).rejects.toMatchObject(FULL);
    await expect(session.operator.compact({ target: 0.3 })).rejects.toMatchObject(FULL);
    await expect(session.operator.undo()).rejects.toMatchObject(FULL);
    await expect(session.operator.flag('c1', 'bad')).rejects.toMatchObject(FULL);
    const after = await found(file);
    expect(look(after)).toEqual(before);
    expect(after.operator.history).toMatchObject([{ id: 'c1', status: 'committed' }]);
    expect(after.operator.history[0]).not.toHaveProperty('flag');
    expect(after.operator.costs.primary.calls).toBe(1);
    // Reading needs no room.
    expect(await after.recall({ query: 'Question 7' })).not.toEqual([]);
    // Neither does it in the session that holds what could not be stored.
    const [inFile] = await after.recall({ query: 'Question 7' });
    const [inMemory] = await session.recall({ query: 'Question 7' });
    expect(inMemory).toMatchObject({ handle: inFile!.handle, text: inFile!.text });
    expect(await session.recall({ handle: 'm1' })).toMatchObject([{ handle: 'm1', role: 'user' }]);
  });

  it('goes on when there is room, and stores once all that was done meanwhile', async () => {
    const { file, session, makeRoom } = await full();
    await expect(session.append(...MORE)).rejects.toMatchObject(FULL);
    await expect(session.observe({ inputTokens: 50 })).rejects.toMatchObject(FULL);
    await expect(session.operator.undo()).rejects.toMatchObject(FULL);
    makeRoom();
    await session.append(said('last'));
    await session.operator.release();
    await session.prepare();
    const after = await found(file);
    expect(idsOf(after)).toEqual(idsOf(session));
    expect(idsOf(after).slice(-MORE.length - 1)).toEqual([...MORE.map(({ id }) => id), 'last']);
    expect(look(after)).toEqual(look(session));
    expect(after.operator.history.map(({ id, status }) => `${id} ${status}`)).toEqual([
      'c1 undone',
      'c2 committed',
    ]);
    expect(after.operator.costs).toEqual(session.operator.costs);
    expect(after.operator.costs.primary).toMatchObject({ calls: 2 });
    const kinds = (await after.operator.audit()).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'compaction.undone')).toHaveLength(1);
  });

  it('can go on in another process that has more room, from what was acknowledged', async () => {
    const { file, session } = await full();
    const acknowledged = idsOf(session).slice(0, -1);
    const next = await openOn(file, { maxBytes: 9_000_000 });
    await next.append(...MORE);
    await next.prepare();
    const after = await found(file);
    expect(idsOf(after)).toEqual([...acknowledged, ...MORE.map(({ id }) => id)]);
    expect(look(after)).toEqual(look(next));
    expect(after.operator.history.map(({ status }) => status)).toEqual(['committed', 'committed']);
  });

  it('can still be opened and read by a process that has no room either', async () => {
    const { file, maxBytes, session } = await full();
    const reader = await (await openOn(file, { maxBytes })).load();
    expect(idsOf(reader)).toEqual(idsOf(session).slice(0, -1));
    expect((await reader.operator.explainCall(1)).messages).toHaveLength(LONG.length);
    await expect(reader.append(...MORE)).rejects.toMatchObject(FULL);
  });
});

describe('a session whose file', () => {
  it('another process holds rejects its writes, and stores them when the file is free', async () => {
    const file = newFile();
    const session = await openOn(file);
    await session.append(...LONG);
    const holder = other(file);
    holder.exec('begin immediate');
    const held = {
      code: 'STORE_FAILED',
      retryable: true,
      message: expect.stringContaining('holds the file'),
    };
    await expect(session.append(said('x'))).rejects.toMatchObject(held);
    await expect(session.operator.compact({ target: 0.3 })).rejects.toMatchObject(held);
    await expect(session.observe({ inputTokens: 5 })).rejects.toMatchObject(held);
    await expect(openOn(file)).rejects.toMatchObject(held);
    holder.exec('rollback');
    holder.close();
    const { run } = await session.prepare();
    expect(run.kind).toBe('committed');
    const after = await found(file);
    expect(idsOf(after)).toEqual([...LONG.map(({ id }) => id), 'x']);
    expect(look(after)).toEqual(look(session));
    await session.observe({ inputTokens: 7 });
    expect((await found(file)).operator.costs.primary).toMatchObject({ calls: 2, inputTokens: 12 });
  });

  it('becomes read-only goes on with the open file and loses nothing, and cannot be opened again meanwhile', async () => {
    const file = newFile();
    const session = await openOn(file);
    await session.append(...LONG);
    chmodSync(file, 0o444);
    chmodSync(`${file}-wal`, 0o444);
    chmodSync(join(file, '..'), 0o755);
    // Root may write anywhere.
    if (isRoot) process.seteuid?.(NOBODY);
    await session.append(said('x'));
    await session.operator.compact({ target: 0.3 });
    await expect(openOn(file)).rejects.toMatchObject({ code: 'STORE_DENIED', retryable: false });
    if (isRoot) process.seteuid?.(0);
    chmodSync(file, 0o644);
    chmodSync(`${file}-wal`, 0o644);
    const after = await found(file);
    expect(idsOf(after)).toEqual([...LONG.map(({ id }) => id), 'x']);
    expect(after.operator.history).toHaveLength(1);
  });

  it.each(['-wal', '-shm'])(
    'loses its %s rejects writes that would not be found, and keeps what was stored',
    async (end) => {
      const file = newFile();
      const session = await openOn(file);
      await session.append(...LONG);
      rmSync(file + end);
      const gone = { code: 'STORE_FAILED', message: expect.stringContaining(`the ${end} next to it`) };
      await expect(session.append(said('x'))).rejects.toMatchObject(gone);
      await expect(session.append(said('y'))).rejects.toMatchObject(gone);
      if (end === '-wal') {
        // This is the file that a process leaves if it is killed now.
        copyFileSync(file, `${file}.left`);
        expect(idsOf(await found(`${file}.left`))).toEqual(LONG.map(({ id }) => id));
      }
      for (const one of engines.splice(0)) await one.close();
      expect(idsOf(await found(file))).toEqual(LONG.map(({ id }) => id));
    },
  );

  it.each([
    ['an older copy', 'delete from spillway_message where seq >= 5; update spillway_thread set messages = 5'],
    [
      'a copy without the newest ledger entry',
      'delete from spillway_entry; update spillway_thread set entries = 0',
    ],
    ['a copy that does not have it', 'delete from spillway_thread'],
  ])('becomes %s drops nothing, rejects writes, and goes on when the newer one is back', async (_, sql) => {
    const file = newFile();
    const session = await openOn(file);
    await session.append(...LONG);
    await session.operator.compact({ target: 0.5 });
    const writer = other(file);
    writer.exec('create table kept_message as select * from spillway_message');
    writer.exec('create table kept_entry as select * from spillway_entry');
    writer.exec('create table kept_thread as select * from spillway_thread');
    writer.exec(sql);
    await session.load();
    expect(idsOf(session)).toEqual(LONG.map(({ id }) => id));
    const older = { code: 'STORE_DAMAGED', message: expect.stringContaining('an older copy') };
    await expect(session.append(said('x'))).rejects.toMatchObject(older);
    await expect(session.append(said('y'))).rejects.toMatchObject(older);
    await expect(session.operator.compact({ target: 0.3 })).rejects.toMatchObject(older);
    expect(idsOf(session)).toEqual([...LONG.map(({ id }) => id), 'x', 'y']);
    for (const table of ['message', 'entry', 'thread'])
      writer.exec(`delete from spillway_${table}; insert into spillway_${table} select * from kept_${table}`);
    writer.close();
    await session.append(said('z'));
    const after = await found(file);
    expect(idsOf(after)).toEqual([...LONG.map(({ id }) => id), 'x', 'y', 'z']);
    expect(look(after)).toEqual(look(session));
  });

  it('is moved away rejects writes, also if another file takes its place, and goes on when it is back', async () => {
    const file = newFile();
    const session = await openOn(file);
    await session.append(...LONG);
    const moved = (to: (name: string) => string, from: (name: string) => string): void => {
      for (const end of ['', '-wal', '-shm']) renameSync(from(file + end), to(file + end));
    };
    const aside = (name: string): string => name.replace('sessions', 'aside');
    moved(aside, String);
    const gone = {
      code: 'STORE_FAILED',
      retryable: true,
      message: expect.stringContaining('no file any more'),
    };
    await expect(session.append(said('x'))).rejects.toMatchObject(gone);
    await expect(session.operator.compact({ target: 0.3 })).rejects.toMatchObject(gone);
    const stranger = await openOn(file);
    await stranger.append(said('begins anew'));
    const another = { code: 'STORE_FAILED', message: expect.stringContaining('another file') };
    await expect(session.append(said('y'))).rejects.toMatchObject(another);
    for (const one of engines.splice(1)) await one.close();
    rmSync(file);
    moved(String, aside);
    await session.append(said('z'));
    const after = await found(file);
    expect(idsOf(after)).toEqual([...LONG.map(({ id }) => id), 'x', 'y', 'z']);
    expect(statSync(file).isFile()).toBe(true);
  });
});
