import { resolve } from 'node:path';
import type Libsql from 'libsql';
import { Kysely } from 'kysely';
import { missingPackage, SpillwayError, thrownText } from '../../errors/index.js';
import type { SessionStore } from '../../spi/index.js';
import { openSql, type Database, type SqlOptions, type Tables } from '../sql/index.js';
import { retryWhile } from '../patience.js';
import { collectStatements, immediateSqlite } from './driver.js';
import { dialectOf, isBusy, isUnopenable } from './faults.js';
import * as files from './file.js';
import { textsAsBytes } from './texts.js';
import { sqliteWriter } from './writer.js';

const IN_MEMORY = ':memory:';

interface SqliteOptions extends SqlOptions {
  /** The largest size of the file. */
  readonly maxBytes?: number;
  readonly synchronous?: files.Synchronous;
}

/** Opens a file, or creates it; `:memory:` is a database that only this store sees. */
export async function openSqlite(path: string, options: SqliteOptions): Promise<SessionStore> {
  const inMemory = path === IN_MEMORY;
  const file = inMemory ? path : resolve(path);
  const name = `sqlite:${file}`;
  const dialect = dialectOf(name);
  const { default: driver } = await import('libsql').catch((error: unknown) => notLoaded(name, error));
  const database = open(driver, name, file);
  try {
    await retryWhile(async () => files.prepareFile(database, options), isBusy, options.patienceMs);
    await retryWhile(async () => files.checkWritable(database), isBusy, options.patienceMs);
  } catch (error) {
    database.close();
    await collectStatements();
    throw isUnopenable(error) ? files.openFault(name, file, error) : dialect.faultOf(error);
  }
  const check = inMemory
    ? () => undefined
    : files.checkPlaceOf(name, file, () => files.checkpointLog(database));
  const db: Database = new Kysely<Tables>({
    dialect: immediateSqlite({
      database,
      check,
      closing: () => writer.close(),
      closed: async () => void (inMemory || (await collectStatements())),
    }),
    plugins: [textsAsBytes(name)],
  });
  const writer = sqliteWriter(database, db, check);
  return openSql({ ...options, name, db, dialect, writer });
}

/** The error for a driver that did not load: part of the driver is a package for each platform. */
function notLoaded(name: string, error: unknown): never {
  const missing = missingPackage(error, `store ${name}`);
  if (missing) throw missing;
  throw new SpillwayError('STORE_FAILED', {
    subject: `driver of ${name}`,
    found: thrownText(error).split('\n', 1)[0],
    remedy: 'Install libsql again, with its package for your platform.',
    cause: error,
  });
}

function open(Driver: typeof Libsql, name: string, file: string): Libsql.Database {
  if (file !== IN_MEMORY) files.makeFile(file);
  try {
    return new Driver(file);
  } catch (error) {
    throw files.openFault(name, file, error);
  }
}
