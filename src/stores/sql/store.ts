import { Migrator } from 'kysely';
import { idTaken, SpillwayError } from '../../errors/index.js';
import type { BackgroundQueue, OpensQueue, SessionStore } from '../../spi/index.js';
import { writeJson } from '../../transcript/index.js';
import { checkWrite, closedFault, headAfter, alreadyStored } from '../fault.js';
import { keyOf, writeText } from '../bytes.js';
import { retryWhile } from '../patience.js';
import * as read from './read.js';
import { moveOf, noteOf, type Writer } from './rows.js';
import { migrationsOf, type Database, type Dialect, type Migrations, type Open } from './tables.js';

/** The options of a store in any database. */
export interface SqlOptions {
  readonly nowMs: () => number;
  /** How long a call waits for another process that blocks it before it gives up. */
  readonly patienceMs: number;
  /** For tests of future schemas. */
  readonly migrations?: (dialect: Dialect) => Migrations;
}

interface SqlParts extends SqlOptions {
  /** For messages; without a password. */
  readonly name: string;
  readonly db: Database;
  /** A second connection to the same database, only for migrations. */
  readonly migrating?: Database;
  readonly dialect: Dialect;
  readonly writer: Writer;
  /** Opens a queue in the same database, if it has one. */
  readonly openQueue?: () => BackgroundQueue;
}

/** The read functions without their first parameter, the database. */
type Reads = {
  readonly [Name in keyof typeof read]: (typeof read)[Name] extends (
    db: Database,
    ...of: infer Of
  ) => infer Found
    ? (...of: Of) => Found
    : never;
};

/**
 * A store of sessions in a database of the given dialect. Rejects with `STORE_SCHEMA` and with any error that keeps the
 * database from being used; the database is then closed.
 */
export async function openSql(parts: SqlParts): Promise<SessionStore & OpensQueue> {
  const { name, db, migrating, dialect, writer, nowMs, patienceMs, openQueue } = parts;
  const running = new Set<Promise<unknown>>();
  let closing: Promise<void> | undefined;

  const ask = async <T>(work: (db: Database) => Promise<T>): Promise<T> => {
    if (closing) throw closedFault(name);
    const asked = retryWhile(
      () => work(db),
      (error) => dialect.isTransient(error),
      patienceMs,
    );
    running.add(asked);
    try {
      return await asked;
    } catch (error) {
      if (error instanceof SpillwayError) throw error;
      if (dialect.isIdTaken(error)) throw idTaken(undefined, error);
      if (dialect.isEventTaken(error)) throw alreadyStored(name, error);
      throw dialect.faultOf(error);
    } finally {
      running.delete(asked);
    }
  };

  const transact = <T>(work: (open: Open) => Promise<T>): Promise<T> =>
    ask((database) => database.transaction().execute(work));

  const readers = Object.entries(read).map(([call, reads]) => [
    call,
    (...of: unknown[]) =>
      ask((database) => (reads as (...given: unknown[]) => Promise<unknown>)(database, ...of)),
  ]);
  const reads = Object.fromEntries(readers) as Reads;

  const store: SessionStore & OpensQueue = {
    ...reads,
    name,
    openQueue,

    async write(key, expected, write) {
      checkWrite(expected, write);
      const move = moveOf(key, expected, write, nowMs());
      const isDone = await ask(() => writer.write(move));
      return isDone ? headAfter(expected, write) : undefined;
    },

    async note(key, events, usage = []) {
      const note = noteOf(key, events, usage, nowMs());
      await ask(() => writer.write(note));
    },

    async keepArtifact(key, artifact) {
      await transact((open) =>
        open
          .insertInto('spillway_artifact')
          .values({ key: keyOf(key), body: writeJson(artifact)! })
          .onConflict((conflict) => conflict.column('key').doNothing())
          .execute(),
      );
      return (await reads.artifact(key)) ?? artifact;
    },

    async setValue(scope, named, value) {
      const key = { scope_key: keyOf(scope), name_key: keyOf(named) };
      await transact<unknown>((open) => {
        if (value === undefined) {
          return open
            .deleteFrom('spillway_value')
            .where('scope_key', '=', key.scope_key)
            .where('name_key', '=', key.name_key)
            .execute();
        }
        const body = writeJson(value)!;
        return open
          .insertInto('spillway_value')
          .values({ ...key, name: writeText(named), body })
          .onConflict((conflict) => conflict.columns(['scope_key', 'name_key']).doUpdateSet({ body }))
          .execute();
      });
    },

    /** Waits for the calls under way. */
    close: () => (closing ??= Promise.allSettled(running).then(() => db.destroy())),
  };

  try {
    await ask((database) => migrate(database, parts));
    return store;
  } catch (error) {
    await store.close().catch(() => undefined);
    throw error;
  } finally {
    await migrating?.destroy();
  }
}

/**
 * Updates the tables to the newest schema. Several processes may call it at once: one migrates, the others wait. Costs
 * one query if there is nothing to do. Throws `STORE_SCHEMA`, and errors of the driver.
 */
async function migrate(database: Database, parts: SqlParts): Promise<void> {
  const { name: store, dialect, migrating: db = database } = parts;
  const migrations = (parts.migrations ?? migrationsOf)(dialect);
  const known = Object.keys(migrations);
  // Not on the connection for migrations, which has no deadline: a server that hangs must not stop the start for ever.
  const done = await doneIn(database, dialect);
  const newer = done.filter((name) => !known.includes(name));
  if (newer.length > 0) {
    throw new SpillwayError('STORE_SCHEMA', {
      subject: `schema of ${store}`,
      found: newer.join(', '),
      allowed: `up to ${known.at(-1)}`,
      remedy: 'A newer version of Spillway wrote it: use that version, or another store.',
    });
  }
  if (done.length === known.length) return;
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => migrations },
    migrationTableName: 'spillway_migration',
    migrationLockTableName: 'spillway_migration_lock',
  });
  const { error, results } = await migrator.migrateToLatest();
  if (error === undefined) return;
  if (!dialect.isTaken(error)) throw error;
  throw new SpillwayError('STORE_SCHEMA', {
    subject: `schema of ${store}`,
    found: String((error as Error).message),
    remedy: `Its tables are incomplete (at ${results?.at(-1)?.migrationName ?? known[0]}): restore it, or use another store.`,
    cause: error,
  });
}

async function doneIn(db: Database, dialect: Dialect): Promise<string[]> {
  try {
    const rows = await db.selectFrom('spillway_migration').select('name').orderBy('name').execute();
    return rows.map(({ name }) => name);
  } catch (error) {
    if (dialect.isMissingTable(error)) return [];
    throw error;
  }
}
