import {
  chmodSync,
  existsSync,
  readdirSync,
  readlinkSync,
  copyFileSync,
  openSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
  closeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import Libsql from 'libsql';
import type { SessionStore } from '../../../src/spi/index.js';
import { prepareFile } from '../../../src/stores/sqlite/file.js';
import { cleanUp, fill, KEY, message, newFile, opened, START } from './support.js';

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
afterEach(() => {
  if (isRoot) process.seteuid?.(0);
});

cleanUp();

/** Where the system shows which files a process has open. */
const OPEN_FILES = '/proc/self/fd';
const isPosix = process.platform !== 'win32';
function handlesOn(file: string): number {
  const targets = readdirSync(OPEN_FILES).map((handle) => {
    try {
      return readlinkSync(`${OPEN_FILES}/${handle}`);
    } catch {
      return '';
    }
  });
  return targets.filter((target) => target.startsWith(file)).length;
}

/** A closed file with `count` messages of one thread. */
async function filled(count: number, text?: string): Promise<string> {
  const file = newFile();
  const store = await opened(`sqlite:${file}`);
  await fill(store, count, text);
  await store.close();
  return file;
}

const seqs = async (store: SessionStore): Promise<number[]> =>
  (await store.messages(KEY, 0)).map(({ seq }) => seq);

/** Somebody else's hand on the file. */
function other(file: string): Libsql.Database {
  const database = new Libsql(file);
  database.exec('pragma busy_timeout = 0');
  return database;
}

describe('a file of SQLite', () => {
  it('that may not be written is refused at start', async () => {
    const file = await filled(2);
    chmodSync(file, 0o444);
    chmodSync(dirname(file), 0o755);
    // Root may write anywhere.
    if (isRoot) process.seteuid?.(NOBODY);
    await expect(opened(`sqlite:${file}`)).rejects.toMatchObject({ code: 'STORE_DENIED', retryable: false });
    if (isRoot) process.seteuid?.(0);
    chmodSync(file, 0o644);
    expect(await seqs(await opened(`sqlite:${file}`))).toEqual([0, 1]);
  });

  it('that may not even be read, or made, says so', async () => {
    const file = await filled(1);
    chmodSync(file, 0o000);
    chmodSync(dirname(file), 0o755);
    if (isRoot) process.seteuid?.(NOBODY);
    await expect(opened(`sqlite:${file}`)).rejects.toMatchObject({ code: 'STORE_DENIED' });
    if (isRoot) {
      await expect(opened(`sqlite:${dirname(file)}/new.db`)).rejects.toMatchObject({ code: 'STORE_DENIED' });
      process.seteuid?.(0);
    }
    chmodSync(file, 0o644);
  });

  it('that another connection locks for too long gives an error that can be retried, and loses nothing', async () => {
    const file = await filled(1);
    const store = await opened(`sqlite:${file}`, { patienceMs: 60 });
    const holder = other(file);
    holder.exec('begin immediate');
    const head = (await store.load(KEY))!.head;
    const write = { messages: [message(1)] };
    await expect(store.write(KEY, head, write)).rejects.toMatchObject({
      code: 'STORE_FAILED',
      retryable: true,
    });
    await expect(opened(`sqlite:${file}`, { patienceMs: 60 })).rejects.toMatchObject({
      code: 'STORE_FAILED',
      retryable: true,
    });
    expect(await seqs(store)).toEqual([0]);
    holder.exec('rollback');
    holder.close();
    expect(await store.write(KEY, head, write)).toEqual({ messages: 2, entries: 0 });
  });

  it('that another connection locks for a moment is written once it is free, and can be read meanwhile', async () => {
    const file = await filled(1);
    const store = await opened(`sqlite:${file}`, { patienceMs: 60_000 });
    const holder = other(file);
    holder.exec('begin immediate');
    const written = store.write(KEY, { messages: 1, entries: 0 }, { messages: [message(1)] });
    for (let turn = 0; turn < 20; turn++) expect((await store.load(KEY))?.head.messages).toBe(1);
    holder.exec('rollback');
    expect(await written).toEqual({ messages: 2, entries: 0 });
    holder.close();
  });

  it('that is no database, or has damaged pages, is reported as damaged', async () => {
    const file = newFile();
    writeFileSync(file, 'a diary, not a database. '.repeat(400));
    const before = readFileSync(file);
    await expect(opened(`sqlite:${file}`)).rejects.toMatchObject({ code: 'STORE_DAMAGED', retryable: false });
    expect(readFileSync(file)).toEqual(before);

    const damaged = await filled(300, 'x'.repeat(500));
    const pages = statSync(damaged).size / 4_096;
    const descriptor = openSync(damaged, 'r+');
    // The pages of the schema stay; those after it are overwritten.
    for (let page = 40; page < pages; page++)
      writeSync(descriptor, Buffer.alloc(4_096, 0xa5), 0, 4_096, page * 4_096);
    closeSync(descriptor);
    const store = await opened(`sqlite:${damaged}`);
    await expect(store.messages(KEY, 0)).rejects.toMatchObject({ code: 'STORE_DAMAGED', retryable: false });
  });

  it('at its size limit refuses a write that does not fit, keeps its rows, and takes the write when there is room', async () => {
    const file = newFile();
    const small = await opened(`sqlite:${file}`, { maxBytes: 400_000 });
    let head = await fill(small, 3);
    const large = { messages: [message(3, 'y'.repeat(600_000))], entries: [{ kind: 'k', at: 1, body: 1 }] };
    for (let twice = 0; twice < 2; twice++) {
      await expect(small.write(KEY, head, large)).rejects.toMatchObject({
        code: 'STORE_FULL',
        retryable: true,
      });
    }
    expect((await small.load(KEY))?.head).toEqual(head);
    expect(await small.entries(KEY, 0)).toEqual([]);
    head = await fill(small, 1, 'what fits');
    expect(await seqs(small)).toEqual([0, 1, 2, 3]);
    await small.close();
    const roomy = await opened(`sqlite:${file}`);
    const again = { ...large, messages: [message(4, 'y'.repeat(600_000))] };
    expect(await roomy.write(KEY, head, again)).toEqual({ messages: 5, entries: 1 });
  });

  it('that was copied while its last commit was under way holds every one before it', async () => {
    const file = newFile();
    const store = await opened(`sqlite:${file}`);
    await fill(store, 2);
    const safe = statSync(`${file}-wal`).size;
    await fill(store, 1);
    const copy = newFile();
    copyFileSync(file, copy);
    copyFileSync(`${file}-wal`, `${copy}-wal`);
    truncateSync(`${copy}-wal`, safe + 5_000);
    const torn = await opened(`sqlite:${copy}`);
    expect((await torn.load(KEY))?.head).toEqual({ messages: 2, entries: 0 });
    expect(await torn.write(KEY, { messages: 2, entries: 0 }, { messages: [message(2)] })).toBeDefined();
    expect(await seqs(torn)).toEqual([0, 1, 2]);
  });

  it('that was closed is complete without its side files', async () => {
    const file = await filled(3);
    const copy = newFile();
    copyFileSync(file, copy);
    expect(await seqs(await opened(`sqlite:${copy}`))).toEqual([0, 1, 2]);
  });

  it('that one of two stores has closed is complete without its side files', async () => {
    const file = newFile();
    const [writer] = [await opened(`sqlite:${file}`), await opened(`sqlite:${file}`)];
    await fill(writer!, 3);
    await writer!.close();
    const copy = newFile();
    copyFileSync(file, copy);
    expect(await seqs(await opened(`sqlite:${copy}`))).toEqual([0, 1, 2]);
  });

  (existsSync(OPEN_FILES) ? it : it.skip)(
    'is let go of as soon as it is closed, also where opening failed',
    async () => {
      Reflect.deleteProperty(globalThis, 'gc'); // a store finds a collection of the whole heap for itself
      const file = await filled(3);
      for (let i = 0; i < 3; i++) {
        const store = await opened(`sqlite:${file}`);
        await fill(store, 1);
        expect(handlesOn(file)).toBeGreaterThan(0);
        await store.close();
        expect(handlesOn(file)).toBe(0);
      }
      const none = newFile();
      writeFileSync(none, 'a diary, not a database. '.repeat(400));
      await expect(opened(`sqlite:${none}`)).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
      expect(handlesOn(none)).toBe(0);
      const newer = await filled(1);
      const hand = other(newer);
      hand.exec("insert into spillway_migration values ('9999-future', '2030')");
      hand.close();
      await expect(opened(`sqlite:${newer}`)).rejects.toMatchObject({ code: 'STORE_SCHEMA' });
      expect(handlesOn(newer)).toBe(0);
    },
  );

  (isPosix ? it : it.skip)("that is new is its owner's alone, with what stands beside it", async () => {
    const file = newFile();
    const store = await opened(`sqlite:${file}`);
    await fill(store, 1);
    const modeOf = (path: string): number => statSync(path).mode & 0o777;
    expect([file, `${file}-wal`, `${file}-shm`].map(modeOf)).toEqual([0o600, 0o600, 0o600]);
    const [target, link] = [newFile(), newFile()];
    symlinkSync(target, link);
    await fill(await opened(`sqlite:${link}`), 1);
    expect([target, `${target}-wal`, `${target}-shm`].map(modeOf)).toEqual([0o600, 0o600, 0o600]);
    await store.close();
    // A file that is shared on purpose keeps its mode.
    chmodSync(file, 0o640);
    await fill(await opened(`sqlite:${file}`), 1);
    expect([file, `${file}-wal`].map(modeOf)).toEqual([0o640, 0o640]);
  });

  it('is synchronised at every commit, unless its host asks for less', async () => {
    const synchronousOf = (options: Parameters<typeof prepareFile>[1]): unknown => {
      const database = new Libsql(newFile());
      prepareFile(database, options);
      const { synchronous } = database.prepare('pragma synchronous').get([]) as { synchronous: number };
      database.close();
      return synchronous;
    };
    expect([synchronousOf({}), synchronousOf({ synchronous: 'normal' })]).toEqual([2, 1]);
    const fast = await opened(`sqlite:${newFile()}`, { synchronous: 'normal' });
    await fill(fast, 2);
    expect(await seqs(fast)).toEqual([0, 1]);
  });

  it('with damaged bytes in its messages is reported as damaged, and its other tables can be read', async () => {
    const file = await filled(3, 'NEEDLE that somebody said');
    const bytes = readFileSync(file);
    let at = -1;
    while ((at = bytes.indexOf('NEEDLE', at + 1)) >= 0) bytes[at + 2] = 0xff;
    writeFileSync(file, bytes);
    const store = await opened(`sqlite:${file}`);
    const damaged = { code: 'STORE_DAMAGED', retryable: false };
    await expect(store.messages(KEY, 0)).rejects.toMatchObject(damaged);
    expect((await store.load(KEY))?.head).toEqual({ messages: 3, entries: 0 });
    expect(await store.threads()).toHaveLength(1);
  });

  it.each([
    "update spillway_message set body = '{'",
    "update spillway_message set body = 'null'",
    "update spillway_message set body = '{}'",
    "update spillway_message set body = '[1]'",
    `update spillway_message set body = '{"id":"m1","seq":1,"role":"user","parts":[null],"size":{"tokens":1,"parts":[]}}'`,
    "update spillway_message set body = x'00ff'",
  ])('with an invalid message is reported as damaged: %s', async (sql) => {
    const file = await filled(3);
    const hand = other(file);
    hand.exec(`${sql} where seq = 1`);
    hand.close();
    const store = await opened(`sqlite:${file}`);
    await expect(store.messages(KEY, 0)).rejects.toMatchObject({ code: 'STORE_DAMAGED', retryable: false });
    expect(await store.messages(KEY, 0, 1)).toHaveLength(1);
  });

  it('is closed only when the calls under way are done', async () => {
    const file = newFile();
    const store = await opened(`sqlite:${file}`);
    const write = store.write(KEY, START, { messages: [message(0)] });
    await store.close();
    expect(await write).toEqual({ messages: 1, entries: 0 });
    await expect(store.load(KEY)).rejects.toMatchObject({ code: 'STORE_FAILED', retryable: false });
    expect(await seqs(await opened(`sqlite:${file}`))).toEqual([0]);
  });
});

describe.each(['memory:', 'sqlite::memory:'])('%s', (url) => {
  it('keeps the order of what was done when the clock goes back', async () => {
    let now = 5_000;
    const store = await opened(url, { nowMs: () => (now -= 1_000) });
    await store.write(KEY, START, { messages: [message(0)] });
    await store.write({ ...KEY, agentPath: 'other' }, START, { messages: [message(0)] });
    await store.write(KEY, { messages: 1, entries: 0 }, { messages: [message(1)] });
    const [first, second] = await store.threads();
    expect(first).toMatchObject({
      agentPath: 'primary',
      createdAt: 4_000,
      updatedAt: 4_000,
      head: { messages: 2 },
    });
    expect(second).toMatchObject({ agentPath: 'other', createdAt: 3_000, updatedAt: 3_000 });
  });
});
