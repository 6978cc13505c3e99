import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import fc from 'fast-check';
import Libsql from 'libsql';
import { ERROR_CODES, type SpillwayError } from '../../../src/errors/index.js';
import { safeUrl } from '../../../src/stores/fault.js';
import { turnsDuring } from '../../support/turns-during.js';
import { cleanUp, fill, KEY, newFile, newFolder, opened } from './support.js';

cleanUp();

const fault = (url: string): Promise<SpillwayError> =>
  opened(url).then(
    () => Promise.reject(new Error(`${url} was opened`)),
    (error: SpillwayError) => error,
  );

describe('openStore', () => {
  it('says what to install if the platform part of the SQLite driver cannot be loaded', async () => {
    const env = { ...process.env, LIBSQL_JS_DEV: '1' };
    const worker = ['--import', 'tsx', 'test/support/append-worker.ts', 'sqlite::memory:', 'a', '1'];
    await expect(promisify(execFile)(process.execPath, worker, { env })).rejects.toMatchObject({
      stderr: expect.stringMatching(/STORE_FAILED: driver of sqlite.* Install libsql again/),
    });
  });

  it.each([
    '',
    'log.db',
    './log.db',
    'mysql://host/db',
    'http://host',
    'sqlite:',
    'sqlite://',
    'memory:x',
    '/abs/log.db',
    'postgres//x',
  ])('refuses %j and lists the allowed forms', async (url) => {
    const error = await fault(url);
    expect(error.code).toBe('STORE_UNKNOWN');
    expect(error.faults[0]?.allowed).toContain('sqlite:FILE');
  });

  it.each([
    [{ synchronous: 'off' }, /option synchronous of openStore; found "off"; allowed: full, normal/],
    [{ patienceMs: NaN }, /option patienceMs of openStore; found NaN; allowed: a number, 0 or more/],
    [{ maxBytes: -1 }, /option maxBytes of openStore; found -1/],
    [{ patience: 5 }, /unknown option patience of openStore; allowed: nowMs, patienceMs/],
  ])('refuses the options %j', async (options, words) => {
    await expect(opened('memory:', options as never)).rejects.toMatchObject({
      code: 'ARGUMENT_INVALID',
      message: expect.stringMatching(words),
    });
  });

  it.each(['memory:', 'memory://', 'MEMORY:', 'sqlite::memory:'])(
    'opens %s as a store of its own each time',
    async (url) => {
      const [one, other] = [await opened(url), await opened(url)];
      await fill(one, 1);
      expect(await one.load(KEY)).toBeDefined();
      expect(await other.load(KEY)).toBeUndefined();
    },
  );

  it('takes a path literally, also after two slashes, and shows it in its name', async () => {
    const folder = newFolder();
    const file = `${folder}/a b%20#?@.db`;
    const store = await opened(`sqlite:${file}`);
    expect(store.name).toBe(`sqlite:${file}`);
    await fill(store, 1);
    expect((await (await opened(`sqlite://${file}`)).load(KEY))?.head.messages).toBe(1);
  });

  it('makes the file, and not its folder', async () => {
    const file = newFile();
    await opened(`sqlite:${file}`);
    const error = await fault(`sqlite:${file}.d/log.db`);
    expect(error.code).toBe('STORE_FAILED');
    expect(error.message).toContain(`no folder ${file}.d`);
    expect((await fault(`sqlite:${newFolder()}`)).message).toContain('a folder');
  });

  it.each([
    'postgres://u:s3cr3t@[::bad/x',
    'postgres://u:s3cr3t@host:99999999/x',
    'postgres://u:s3cr3t/@:x@/',
  ])('refuses %s without its password', async (url) => {
    const error = await fault(url);
    expect(Object.keys(ERROR_CODES)).toContain(error.code);
    expect(JSON.stringify([error.message, error.faults, error.stack, String(error.cause)])).not.toContain(
      's3cr3t',
    );
  });
});

describe('a URL that is shown', () => {
  it('names scheme, host and database', () => {
    expect(safeUrl('postgres://me:pw@db.example:5432/spillway?sslmode=require')).toBe(
      'postgres://db.example:5432/spillway',
    );
    expect(safeUrl('postgresql://db/spillway')).toBe('postgresql://db/spillway');
    expect(safeUrl('me:pw@db/spillway')).not.toContain('pw');
  });

  it('never holds any of the password, encoded or not', () => {
    // Signs that the rest of the URL does not hold, and those that take a URL apart.
    const password = fc
      .array(fc.constantFrom('Q', 'Z', '@', ':', '/', '?', '#', '%', '&', '=', ' ', '[', '\n'), {
        minLength: 1,
        maxLength: 12,
      })
      .map((signs) => signs.join(''));
    const shapes = (secret: string): string[] => [
      `postgres://me:${secret}@db/name`,
      `postgres://me:${secret}@db/name?x=a@b`,
      `postgres://db/name?user=me&password=${secret}`,
      `postgres://me:${secret}@db/name#${secret}`,
      `mysql://me:${secret}@db`,
    ];
    fc.assert(
      fc.property(password, (secret) => shapes(secret).every((url) => !/[QZ]/.test(safeUrl(url)))),
      { numRuns: 500 },
    );
  });
});

it('lists thousands of threads a few at a time, so that others have their turns, and each in its place', async () => {
  const path = newFile();
  const store = await opened(`sqlite:${path}`);
  await fill(store, 1);
  const file = new Libsql(path);
  file.exec(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < 12000)
     insert into spillway_thread (session_key, path_key, session_id, agent_path, messages, entries, created_at, updated_at)
     select 's' || i, path_key, 's' || i, agent_path, messages, entries, i, i % 7 from n, spillway_thread`,
  );
  file.close();
  const listed: unknown[] = [];
  const turns = await turnsDuring(async () => void listed.push(...(await store.threads())));
  expect(turns).toBeGreaterThanOrEqual(2);
  expect(listed.length).toBe(12_001);
  expect(listed).toEqual(await store.threads({ limit: 20_000 }));
});
