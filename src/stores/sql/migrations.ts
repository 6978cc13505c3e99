import { type CreateTableBuilder, type Migration } from 'kysely';
import type { Dialect } from './dialect.js';
import type { Database } from './tables.js';

/**
 * Every step from the first release on, by name in order. A step that was released never changes; the next one mends it.
 * Each runs whole or not at all.
 */
export function migrationsOf(dialect: Dialect): Record<string, Migration> {
  return { '0001-sessions': { up: (db: Database) => createSessions(db, dialect) } };
}

async function createSessions(db: Database, dialect: Dialect): Promise<void> {
  const table = (name: string): CreateTableBuilder<string> => db.schema.createTable(name);
  const withId = (builder: CreateTableBuilder<string>): CreateTableBuilder<string, 'id'> =>
    dialect.kind === 'sqlite'
      ? builder.addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
      : builder.addColumn('id', 'bigint', (column) => column.primaryKey().generatedAlwaysAsIdentity());

  await withId(table('spillway_thread'))
    .addColumn('session_key', 'text', (column) => column.notNull())
    .addColumn('path_key', 'text', (column) => column.notNull())
    .addColumn('session_id', 'text', (column) => column.notNull())
    .addColumn('agent_path', 'text', (column) => column.notNull())
    .addColumn('messages', 'bigint', (column) => column.notNull())
    .addColumn('entries', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'double precision', (column) => column.notNull())
    .addColumn('updated_at', 'double precision', (column) => column.notNull())
    .addUniqueConstraint('spillway_thread_key', ['session_key', 'path_key'])
    .execute();

  await table('spillway_checkpoint')
    .addColumn('thread_id', 'bigint', (column) => column.notNull().primaryKey())
    .addColumn('messages', 'bigint', (column) => column.notNull())
    .addColumn('entries', 'bigint', (column) => column.notNull())
    .addColumn('body', 'text', (column) => column.notNull())
    .execute();

  await table('spillway_message')
    .addColumn('thread_id', 'bigint', (column) => column.notNull())
    .addColumn('seq', 'bigint', (column) => column.notNull())
    .addColumn('id_key', 'text', (column) => column.notNull())
    .addColumn('body', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('spillway_message_seq', ['thread_id', 'seq'])
    .addUniqueConstraint('spillway_message_id', ['thread_id', 'id_key'])
    .execute();

  await table('spillway_entry')
    .addColumn('thread_id', 'bigint', (column) => column.notNull())
    .addColumn('seq', 'bigint', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('at', 'double precision', (column) => column.notNull())
    .addColumn('body', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('spillway_entry_seq', ['thread_id', 'seq'])
    .execute();

  await withId(table('spillway_event'))
    .addColumn('thread_id', 'bigint', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('ref_key', 'text')
    .addColumn('at', 'double precision', (column) => column.notNull())
    .addColumn('body', 'text', (column) => column.notNull())
    .execute();
  for (const column of ['kind', 'ref_key']) {
    await db.schema
      .createIndex(`spillway_event_${column}`)
      .on('spillway_event')
      .columns(['thread_id', column, 'id'])
      .execute();
  }

  await table('spillway_usage')
    .addColumn('thread_id', 'bigint', (column) => column.notNull())
    .addColumn('line', 'text', (column) => column.notNull())
    .addColumn('model', 'text', (column) => column.notNull())
    .addColumn('calls', 'bigint', (column) => column.notNull())
    .addColumn('input_tokens', 'bigint', (column) => column.notNull())
    .addColumn('cache_read_tokens', 'bigint', (column) => column.notNull())
    .addColumn('cache_write_tokens', 'bigint', (column) => column.notNull())
    .addColumn('output_tokens', 'bigint', (column) => column.notNull())
    .addColumn('cost', 'double precision', (column) => column.notNull())
    .addColumn('unpriced', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('spillway_usage_key', ['thread_id', 'line', 'model'])
    .execute();

  await table('spillway_artifact')
    .addColumn('key', 'text', (column) => column.notNull().primaryKey())
    .addColumn('body', 'text', (column) => column.notNull())
    .execute();

  await table('spillway_value')
    .addColumn('scope_key', 'text', (column) => column.notNull())
    .addColumn('name_key', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('body', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('spillway_value_key', ['scope_key', 'name_key'])
    .execute();

  await dialect.words.create(db);
}
