import type { CreateTableBuilder, Generated, Kysely, Migration, Transaction } from 'kysely';
import type { SpillwayError } from '../../errors/index.js';

type Kind = 'bigint' | 'double precision' | 'text' | 'text or null';

interface Shape {
  /** Whether rows have a number that the database assigns. */
  readonly id?: true;
  /** In the order in which rows are written. */
  readonly columns: Readonly<Record<string, Kind>>;
  /** Columns of the primary key, and its name if the database does not choose one. */
  readonly primary?: { readonly name?: string; readonly of: readonly string[] };
  readonly unique?: { readonly name: string; readonly of: readonly string[] };
  readonly indexes?: readonly { readonly name: string; readonly of: readonly string[] }[];
}

/** The tables of both databases. `writeText` writes ids of clients, `keyOf` writes keys; bodies are JSON text. */
export const SHAPES = {
  spillway_thread: {
    id: true,
    columns: {
      session_key: 'text',
      path_key: 'text',
      session_id: 'text',
      agent_path: 'text',
      messages: 'bigint',
      entries: 'bigint',
      created_at: 'double precision',
      updated_at: 'double precision',
    },
    unique: { name: 'spillway_thread_key', of: ['session_key', 'path_key'] },
  },
  /** Separate from the head, so that a write of the head need not write the checkpoint again. */
  spillway_checkpoint: {
    columns: { thread_id: 'bigint', messages: 'bigint', entries: 'bigint', body: 'text' },
    primary: { of: ['thread_id'] },
  },
  spillway_message: {
    columns: { thread_id: 'bigint', seq: 'bigint', id_key: 'text', body: 'text' },
    primary: { name: 'spillway_message_seq', of: ['thread_id', 'seq'] },
    unique: { name: 'spillway_message_id', of: ['thread_id', 'id_key'] },
  },
  spillway_entry: {
    columns: { thread_id: 'bigint', seq: 'bigint', kind: 'text', at: 'double precision', body: 'text' },
    primary: { name: 'spillway_entry_seq', of: ['thread_id', 'seq'] },
  },
  /** The body is the whole event. */
  spillway_event: {
    id: true,
    columns: {
      thread_id: 'bigint',
      kind: 'text',
      ref_key: 'text or null',
      at: 'double precision',
      body: 'text',
      event_key: 'text or null',
    },
    indexes: [
      { name: 'spillway_event_kind', of: ['thread_id', 'kind', 'id'] },
      { name: 'spillway_event_ref_key', of: ['thread_id', 'ref_key', 'id'] },
    ],
  },
  spillway_usage: {
    columns: {
      thread_id: 'bigint',
      line: 'text',
      model: 'text',
      calls: 'bigint',
      input_tokens: 'bigint',
      cache_read_tokens: 'bigint',
      cache_write_tokens: 'bigint',
      output_tokens: 'bigint',
      cost: 'double precision',
      unpriced: 'bigint',
    },
    primary: { name: 'spillway_usage_key', of: ['thread_id', 'line', 'model'] },
  },
  spillway_artifact: { columns: { key: 'text', body: 'text' }, primary: { of: ['key'] } },
  spillway_value: {
    columns: { scope_key: 'text', name_key: 'text', name: 'text', body: 'text' },
    primary: { name: 'spillway_value_key', of: ['scope_key', 'name_key'] },
  },
} as const satisfies Readonly<Record<string, Shape>>;

type Shapes = typeof SHAPES;
interface Values {
  readonly bigint: number;
  readonly 'double precision': number;
  readonly text: string;
  readonly 'text or null': string | null;
}
type Row<S extends Shape> = { readonly [C in keyof S['columns']]: Values[S['columns'][C]] } & (S extends {
  readonly id: true;
}
  ? { readonly id: Generated<number> }
  : unknown);

export type Tables = { readonly [Name in keyof Shapes]: Row<Shapes[Name]> } & {
  readonly spillway_migration: { readonly name: string };
};
export type Database = Kysely<Tables>;
export type Open = Transaction<Tables>;

/** The differences between the databases. */
export interface Dialect {
  readonly kind: 'sqlite' | 'postgres';
  /** The error for what the driver threw. Never contains a password. */
  faultOf(error: unknown): SpillwayError;
  /** Whether another process blocked the call for a moment and nothing was changed. */
  isTransient(error: unknown): boolean;
  isMissingTable(error: unknown): boolean;
  /** Whether a table or a column to be created already exists. */
  isTaken(error: unknown): boolean;
  /** Whether two messages of one thread share an id. */
  isIdTaken(error: unknown): boolean;
  /** Whether two events of one thread share an id. */
  isEventTaken(error: unknown): boolean;
}

export type Migrations = Readonly<Record<string, Migration>>;

/**
 * Every migration since the first release, by name in order. A released migration never changes; a later one corrects
 * its faults. Each runs completely or not at all.
 */
export function migrationsOf(dialect: Dialect): Migrations {
  return {
    '0001-sessions': { up: (db: Database) => createSessions(db, dialect) },
    '0002-named-events': { up: nameEvents },
  };
}

/** Columns that a later migration adds. */
const LATER_COLUMNS: ReadonlySet<string> = new Set(['event_key']);

/** Gives events a unique key: a repeat after a lost answer stores an event once, even if the first comes late. */
async function nameEvents({ schema }: Database): Promise<void> {
  await schema.alterTable('spillway_event').addColumn('event_key', 'text').execute();
  const index = schema.createIndex('spillway_event_name').unique().on('spillway_event');
  await index.columns(['thread_id', 'event_key']).execute();
}

async function createSessions({ schema }: Database, { kind }: Dialect): Promise<void> {
  for (const [name, shape] of Object.entries<Shape>(SHAPES)) {
    let table = schema.createTable(name) as CreateTableBuilder<string, string>;
    if (shape.id)
      table =
        kind === 'sqlite'
          ? table.addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
          : table.addColumn('id', 'bigint', (column) => column.primaryKey().generatedAlwaysAsIdentity());
    const { columns, primary, unique, indexes = [] } = shape;
    const own = primary?.name === undefined ? primary?.of[0] : undefined;
    for (const [column, type] of Object.entries(columns)) {
      if (LATER_COLUMNS.has(column)) continue;
      table =
        type === 'text or null'
          ? table.addColumn(column, 'text')
          : table.addColumn(column, type, (builder) =>
              column === own ? builder.notNull().primaryKey() : builder.notNull(),
            );
    }
    if (primary?.name !== undefined) table = table.addPrimaryKeyConstraint(primary.name, [...primary.of]);
    if (unique) table = table.addUniqueConstraint(unique.name, [...unique.of]);
    await table.execute();
    for (const index of indexes)
      await schema
        .createIndex(index.name)
        .on(name)
        .columns([...index.of])
        .execute();
  }
}
