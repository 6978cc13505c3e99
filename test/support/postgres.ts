import type { ChildProcess } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { folderWith, give, launch, onceForAll, ownerOfServers, programsFor } from './postgres-program.js';
import type { Running } from './postgres-program.js';

const USER = 'spillway';
const PASSWORD = 'not-a-secret';
const MAKE_FLAGS = ['--auth=password', '--no-sync', '--encoding=UTF8', '--lc-messages=C'];

/** Running servers, which end together with a test that is ended from outside. */
const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach((server) => server.kill('SIGQUIT')));

/** A real PostgreSQL server for one test, from npm packages only. */
export interface TestPostgres {
  readonly port: number;
  readonly password: string;
  /** The URL of a new, empty database. */
  create(): Promise<string>;
  /** Runs statements as the superuser. */
  run(url: string, sql: string): Promise<pg.QueryResult['rows']>;
  /** Stops the server as a power cut would; `restart` starts it again with the committed data. */
  crash(): Promise<void>;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export interface ServerOptions {
  /** Off by default, because tests need no disk. Benchmarks of commits and tests of crashes turn it on. */
  readonly durable?: boolean;
}

export async function startPostgres({ durable = false }: ServerOptions = {}): Promise<TestPostgres> {
  const owner = ownerOfServers();
  const programs = await programsFor(owner);
  const port = await freePort();
  const said: string[] = [];
  const hear = (line: string): void => void said.push(line);
  const failed = (what: string): Error => new Error(`PostgreSQL ${what}: ${said.slice(-5).join(' ')}`);
  const program = (name: string): string => join(programs.folder, 'bin', name);

  // Making a data folder takes longer than most tests that use it.
  const empty = await onceForAll(`spillway-postgres-${programs.version}-empty`, owner, async (to) => {
    const secret = `${to}-password`;
    writeFileSync(secret, PASSWORD);
    give(secret, owner);
    const flags = [`--pgdata=${to}`, `--username=${USER}`, `--pwfile=${secret}`, ...MAKE_FLAGS];
    const making = launch(program('initdb'), flags, owner, hear);
    await making.gone;
    if (making.process.exitCode !== 0) throw failed('could not make its folder');
  });
  const folder = folderWith(empty, owner);
  const data = join(folder, 'db');

  let server: Running;
  const start = async (): Promise<void> => {
    const flags = ['-D', data, '-p', String(port), '-k', '', '-c', `fsync=${durable ? 'on' : 'off'}`];
    const ready = new Promise<boolean>((resolve) => {
      server = launch(program('postgres'), flags, owner, (line) => {
        hear(line);
        if (line.includes('database system is ready to accept connections')) resolve(true);
      });
      void server.gone.then(() => resolve(false));
    });
    if (!(await ready)) throw failed('did not start');
    running.add(server.process);
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    server.process.kill(signal);
    await server.gone;
    running.delete(server.process);
  };
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
    crash: () => end('SIGQUIT'),
    restart: start,
    async stop() {
      await end('SIGINT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** One server for all tests of a file. It starts before them and ends after them. */
export function postgresOfFile(options?: ServerOptions): TestPostgres {
  let server: TestPostgres;
  beforeAll(async () => {
    server = await startPostgres(options);
  });
  afterAll(() => server.stop());
  return new Proxy({} as TestPostgres, { get: (_, name) => Reflect.get(server, name) as unknown });
}

async function run(url: string, sql: string): Promise<pg.QueryResult['rows']> {
  const client = new pg.Client({ connectionString: url });
  // Pending queries already report a server that goes away.
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
