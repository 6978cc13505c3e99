import {
  Kysely,
  PostgresAdapter,
  PostgresDriver,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type DatabaseConnection,
} from 'kysely';
import type pg from 'pg';
import { checkVersion, orMissing, requirePackage, SpillwayError } from '../../errors/index.js';
import type { SessionStore } from '../../spi/index.js';
import { safeUrl } from '../fault.js';
import { openSql, type SqlOptions, type Tables } from '../sql/index.js';
import { runCommit, dialectOf, isUnanswered } from './faults.js';
import { PostgresQueue } from './queue.js';
import { postgresWriter } from './writer.js';

/** Connections of one process; a server usually allows 100. */
const MAX_CONNECTIONS = 10;
const INT8 = 20;

/**
 * Compresses bodies of this connection by lz4 if the server was built with it (PostgreSQL 14 or newer): writing a
 * commit then takes about 40 % less than by pglz, the default. On other servers it changes nothing, without an error.
 */
const FAST_COMPRESSION = `select set_config('default_toast_compression', 'lz4', false)
  from pg_settings where name = 'default_toast_compression' and 'lz4' = any (enumvals)`;

type Driver = typeof pg;

/**
 * Opens an existing database. Connections are made on demand, and again after a loss. `patienceMs` also limits how long
 * a connection may take to open, and a statement to be answered.
 */
export async function openPostgres(url: string, options: SqlOptions): Promise<SessionStore> {
  const name = safeUrl(url);
  checkVersion('pg', `store ${name}`);
  const { default: driver } = await import('pg').catch(orMissing(`store ${name}`));
  const dialect = dialectOf(name);
  const { patienceMs } = options;
  const pool = poolOf(driver, url, name, patienceMs, {
    statement_timeout: patienceMs,
    query_timeout: 1.25 * patienceMs,
  });
  const kyselyOn = (connections: pg.Pool): Kysely<Tables> =>
    new Kysely<Tables>({
      dialect: {
        createDriver: () => new CarefulDriver({ pool: connections }),
        createAdapter: () => new PostgresAdapter(),
        createIntrospector: (any) => new PostgresIntrospector(any),
        createQueryCompiler: () => new PostgresQueryCompiler(),
      },
    });
  const db = kyselyOn(pool);
  const openQueue = (): PostgresQueue => {
    requirePackage('pg-boss', 'the queue of summaries (fill.queue: store)');
    return new PostgresQueue(pool);
  };
  const writer = postgresWriter(pool);
  // Migrating large tables may take long, and so may waiting for another process that migrates.
  const migrating = kyselyOn(poolOf(driver, url, name, patienceMs, { max: 1 }));
  return openSql({ ...options, name, db, migrating, dialect, writer, openQueue });
}

function poolOf(
  { Pool, types }: Driver,
  url: string,
  name: string,
  patienceMs: number,
  limits: pg.PoolConfig,
): pg.Pool {
  let pool: pg.Pool;
  try {
    pool = new Pool({
      connectionString: url,
      application_name: 'spillway',
      max: MAX_CONNECTIONS,
      ...limits,
      connectionTimeoutMillis: Math.max(1, patienceMs),
      keepAlive: true,
      // If the connection is lost here, the first statement reports it.
      onConnect: async (client) => void (await client.query(FAST_COMPRESSION).catch(() => undefined)),
      // Counts stay far below 2^53.
      types: {
        getTypeParser: (oid, format) => (oid === INT8 ? Number : types.getTypeParser(oid, format)),
      },
    });
  } catch {
    // The cause would show the URL, including the password.
    throw new SpillwayError('STORE_UNKNOWN', {
      subject: 'store',
      found: name,
      allowed: 'postgres://USER:PASSWORD@HOST:PORT/NAME',
      remedy: 'Encode the signs : / ? # @ and % in a password as %3A, %2F, %3F, %23, %40 and %25.',
    });
  }
  // The pool drops a lost connection; the query that used it gets the error.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
    // If an answer never comes, the next user of the connection would wait behind it, so the connection is closed.
    const ask = client.query.bind(client) as (...given: unknown[]) => Promise<unknown> | undefined;
    const queryOrClose = (...given: unknown[]): Promise<unknown> | undefined => {
      const asked = ask(...given);
      asked?.catch?.((error: unknown) => (isUnanswered(error) ? client.end() : undefined));
      return asked;
    };
    client.query = queryOrClose as typeof client.query;
  });
  return pool;
}

/** Reports an unknown outcome for a commit without an answer. */
class CarefulDriver extends PostgresDriver {
  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await runCommit(() => super.commitTransaction(connection));
  }

  /** A lost connection has already rolled back; the first error is the one to report. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await super.rollbackTransaction(connection).catch(() => undefined);
  }
}
