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
import { committing, dialectOf, isUnanswered } from './faults.js';
import { PostgresQueue } from './queue.js';
import { postgresWriter } from './writer.js';

/** Of one process; a server takes 100 as a rule. */
const MAX_CONNECTIONS = 10;
const INT8 = 20;

/**
 * Bodies of this connection are compressed by lz4 where the server was built with it (PostgreSQL 14 or newer): writing a
 * commit then takes about 40 % less than by pglz, the default. Elsewhere it changes nothing, and is no error.
 */
const FAST_COMPRESSION = `select set_config('default_toast_compression', 'lz4', false)
  from pg_settings where name = 'default_toast_compression' and 'lz4' = any (enumvals)`;

type Driver = typeof pg;

/**
 * Opens a database that exists. Connections are made when they are wanted, and again when they were lost. `patienceMs`:
 * also how long one may take to come about, and a statement to be answered.
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
  const over = (connections: pg.Pool): Kysely<Tables> =>
    new Kysely<Tables>({
      dialect: {
        createDriver: () => new CarefulDriver({ pool: connections }),
        createAdapter: () => new PostgresAdapter(),
        createIntrospector: (any) => new PostgresIntrospector(any),
        createQueryCompiler: () => new PostgresQueryCompiler(),
      },
    });
  const db = over(pool);
  const openQueue = (): PostgresQueue => {
    requirePackage('pg-boss', 'the queue of summaries (fill.queue: store)');
    return new PostgresQueue(pool);
  };
  const writer = postgresWriter(pool);
  // Bringing large tables forward may take long, as may waiting for the process that does.
  const migrating = over(poolOf(driver, url, name, patienceMs, { max: 1 }));
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
      // Where the connection is lost meanwhile, the first statement tells.
      onConnect: async (client) => void (await client.query(FAST_COMPRESSION).catch(() => undefined)),
      // Counts stay far below 2^53.
      types: {
        getTypeParser: (oid, format) => (oid === INT8 ? Number : types.getTypeParser(oid, format)),
      },
    });
  } catch {
    // The cause would show the URL, and with it the password.
    throw new SpillwayError('STORE_UNKNOWN', {
      subject: 'store',
      found: name,
      allowed: 'postgres://USER:PASSWORD@HOST:PORT/NAME',
      remedy: 'Encode the signs : / ? # @ and % in a password as %3A, %2F, %3F, %23, %40 and %25.',
    });
  }
  // A connection that is lost is left out of the pool; who used it is told by its query.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
    // Where an answer stays away, whoever had the connection next would wait behind that.
    const ask = client.query.bind(client) as (...given: unknown[]) => Promise<unknown> | undefined;
    const closing = (...given: unknown[]): Promise<unknown> | undefined => {
      const asked = ask(...given);
      asked?.catch?.((error: unknown) => (isUnanswered(error) ? client.end() : undefined));
      return asked;
    };
    client.query = closing as typeof client.query;
  });
  return pool;
}

/** Says of a commit whose answer never came that its outcome is not known. */
class CarefulDriver extends PostgresDriver {
  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await committing(() => super.commitTransaction(connection));
  }

  /** A connection that is gone has rolled back already; the first fault is the one to report. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await super.rollbackTransaction(connection).catch(() => undefined);
  }
}
