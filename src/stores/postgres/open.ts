import { Kysely } from 'kysely';
import pg from 'pg';
import { SpillwayError } from '../../errors/index.js';
import { requirePackage } from '../packages.js';
import { safeUrl } from '../safe-url.js';
import { migrationsOf, SqlStore, type Dialect, type Migrations, type Tables } from '../sql/index.js';
import { CarefulPostgres } from './driver.js';
import { faultOf, isIdTaken, isMissingTable, isPassing, isTaken } from './faults.js';
import { PostgresQueue } from './queue.js';
import { postgresWords } from './words.js';
import { PostgresWriter } from './writer.js';

/** Of one process; a server takes 100 as a rule. */
const MAX_CONNECTIONS = 10;
const INT8 = 20;

/**
 * Bodies of this connection are compressed by lz4 where the server was built with it (PostgreSQL 14 or newer): writing a
 * commit then takes about 40 % less than by pglz, the default. Elsewhere it changes nothing, and is no error.
 */
const FAST_COMPRESSION = `select set_config('default_toast_compression', 'lz4', false)
  from pg_settings where name = 'default_toast_compression' and 'lz4' = any (enumvals)`;

export interface PostgresOptions {
  readonly nowMs: () => number;
  /** Also how long a connection may take to come about. */
  readonly patienceMs: number;
  /** For tests of schemas to come. */
  readonly migrations?: (dialect: Dialect) => Migrations;
}

/** Opens a database that exists. Connections are made when they are wanted, and again when they were lost. */
export async function openPostgres(url: string, options: PostgresOptions): Promise<SqlStore> {
  const name = safeUrl(url);
  const dialect: Dialect = {
    kind: 'postgres',
    words: postgresWords,
    faultOf: (error) => faultOf(name, error),
    isPassing,
    isMissingTable,
    isTaken,
    isIdTaken,
  };
  const pool = poolOf(url, name, options.patienceMs);
  // A connection that is lost is left out of the pool; who used it is told by its query.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const db = new Kysely<Tables>({ dialect: new CarefulPostgres({ pool }) });
  const { nowMs, patienceMs } = options;
  const openQueue = (): PostgresQueue => {
    requirePackage('pg-boss', 'the queue of summaries (fill.queue: store)');
    return new PostgresQueue(pool);
  };
  const writer = new PostgresWriter(pool);
  const parts = { name, db, dialect, writer, nowMs, patienceMs, openQueue };
  return SqlStore.open(parts, (options.migrations ?? migrationsOf)(dialect));
}

function poolOf(url: string, name: string, patienceMs: number): pg.Pool {
  try {
    return new pg.Pool({
      connectionString: url,
      application_name: 'spillway',
      max: MAX_CONNECTIONS,
      connectionTimeoutMillis: Math.max(1, patienceMs),
      keepAlive: true,
      // Where the connection is lost meanwhile, the first statement tells.
      onConnect: async (client) => void (await client.query(FAST_COMPRESSION).catch(() => undefined)),
      // Counts stay far below 2^53.
      types: {
        getTypeParser: (oid, format) => (oid === INT8 ? Number : pg.types.getTypeParser(oid, format)),
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
}
