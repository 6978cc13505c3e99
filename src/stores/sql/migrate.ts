import { Migrator } from 'kysely';
import { SpillwayError } from '../../errors/index.js';
import type { Database, Dialect, Migrations } from './tables.js';

/**
 * Brings the tables to the newest form. Several processes may do so at once: one does, the others wait. Costs one query
 * where there is nothing to do. Throws `STORE_SCHEMA`, and what the driver throws.
 */
export async function migrate(
  db: Database,
  dialect: Dialect,
  migrations: Migrations,
  store: string,
): Promise<void> {
  const known = Object.keys(migrations);
  const done = await doneIn(db, dialect);
  const newer = done.filter((name) => !known.includes(name));
  if (newer.length > 0) {
    throw new SpillwayError('STORE_SCHEMA', {
      subject: `schema of ${store}`,
      found: newer.join(', '),
      allowed: `up to ${known.at(-1)}`,
      remedy: 'It was written by a newer Spillway: use that one, or another store.',
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
    remedy: `Its tables are not whole (at ${results?.at(-1)?.migrationName ?? known[0]}): restore it, or use another store.`,
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
