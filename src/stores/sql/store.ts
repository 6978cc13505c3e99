import { SpillwayError } from '../../errors/index.js';
import type {
  BackgroundQueue,
  EventQuery,
  Json,
  LedgerEntry,
  OpensQueue,
  SessionStore,
  StoredArtifact,
  StoredEvent,
  StoredThread,
  ThreadHead,
  ThreadInfo,
  ThreadKey,
  ThreadWrite,
  UsageEntry,
} from '../../spi/index.js';
import { writeJson, type LogMessage } from '../../transcript/index.js';
import { checkWrite, closedFault, headAfter, idTaken } from '../fault.js';
import { keyOf, readText, writeText } from '../bytes.js';
import { migrate } from './migrate.js';
import { patiently } from '../patience.js';
import { wasDone, wasNoted } from './outcome.js';
import * as read from './read.js';
import { moveOf, noteOf, type Writer } from './rows.js';
import type { Database, Dialect, Migrations, Open } from './tables.js';

export interface SqlParts {
  /** For people; without a password. */
  readonly name: string;
  readonly db: Database;
  /** Another way to the same place, for migrations alone. */
  readonly migrating?: Database;
  readonly dialect: Dialect;
  readonly writer: Writer;
  readonly nowMs: () => number;
  /** How long somebody else may stand in the way before a call gives up. */
  readonly patienceMs: number;
  /** A queue in the same database, where there is one. */
  readonly openQueue?: () => BackgroundQueue;
}

/** Keeps sessions in a database; the dialect knows which. */
export class SqlStore implements SessionStore, OpensQueue {
  readonly name: string;
  readonly openQueue: (() => BackgroundQueue) | undefined;
  readonly #parts: SqlParts;
  readonly #underWay = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;

  private constructor(parts: SqlParts) {
    this.name = parts.name;
    this.openQueue = parts.openQueue;
    this.#parts = parts;
  }

  /** Rejects with `STORE_SCHEMA` and with whatever keeps the database from being used; it is then closed. */
  static async open(parts: SqlParts, migrations: Migrations): Promise<SqlStore> {
    const store = new SqlStore(parts);
    const { migrating, dialect, name } = parts;
    try {
      await store.#ask((db) => migrate(migrating ?? db, dialect, migrations, name));
      return store;
    } catch (error) {
      await store.close().catch(() => undefined);
      throw error;
    } finally {
      await migrating?.destroy();
    }
  }

  load(key: ThreadKey): Promise<StoredThread | undefined> {
    return this.#ask((db) => read.readThread(db, key));
  }

  async write(key: ThreadKey, expected: ThreadHead, write: ThreadWrite): Promise<ThreadHead | undefined> {
    checkWrite(expected, write);
    const { writer, nowMs } = this.#parts;
    const move = moveOf(key, expected, write, nowMs());
    const isDone = await this.#surely(
      () => this.#ask(() => writer.write(move)),
      (db) => wasDone(db, key, expected, write),
    );
    return isDone ? headAfter(expected, write) : undefined;
  }

  messages(key: ThreadKey, from: number, to?: number): Promise<readonly LogMessage[]> {
    return this.#ask((db) => read.readMessages(db, key, from, to));
  }

  message(key: ThreadKey, id: string): Promise<LogMessage | undefined> {
    return this.#ask((db) => read.readMessage(db, key, id));
  }

  entries(key: ThreadKey, from: number, to?: number): Promise<readonly LedgerEntry[]> {
    return this.#ask((db) => read.readEntries(db, key, from, to));
  }

  async note(
    key: ThreadKey,
    events: readonly StoredEvent[],
    usage: readonly UsageEntry[] = [],
  ): Promise<void> {
    const { writer, nowMs } = this.#parts;
    const note = noteOf(key, events, usage, nowMs());
    await this.#surely(
      () => this.#ask(() => writer.write(note)),
      (db) => wasNoted(db, key, events),
    );
  }

  events(key: ThreadKey, query: EventQuery = {}): Promise<readonly StoredEvent[]> {
    return this.#ask((db) => read.readEvents(db, key, query));
  }

  usage(of: Partial<ThreadKey> = {}): Promise<readonly UsageEntry[]> {
    return this.#ask((db) => read.readUsage(db, of));
  }

  artifact(key: string): Promise<StoredArtifact | undefined> {
    return this.#ask(async (db) => {
      const row = await db
        .selectFrom('spillway_artifact')
        .select('body')
        .where('key', '=', keyOf(key))
        .executeTakeFirst();
      return row && read.parsed<StoredArtifact>(row.body);
    });
  }

  async keepArtifact(key: string, artifact: StoredArtifact): Promise<StoredArtifact> {
    await this.#change((open) =>
      open
        .insertInto('spillway_artifact')
        .values({ key: keyOf(key), body: writeJson(artifact)! })
        .onConflict((conflict) => conflict.column('key').doNothing())
        .execute(),
    );
    return (await this.artifact(key)) ?? artifact;
  }

  value(scope: string, name: string): Promise<Json | undefined> {
    return this.#ask(async (db) => {
      const row = await db
        .selectFrom('spillway_value')
        .select('body')
        .where('scope_key', '=', keyOf(scope))
        .where('name_key', '=', keyOf(name))
        .executeTakeFirst();
      return row && read.parsed<Json>(row.body);
    });
  }

  async setValue(scope: string, name: string, value: Json | undefined): Promise<void> {
    const key = { scope_key: keyOf(scope), name_key: keyOf(name) };
    await this.#change<unknown>((open) => {
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
        .values({ ...key, name: writeText(name), body })
        .onConflict((conflict) => conflict.columns(['scope_key', 'name_key']).doUpdateSet({ body }))
        .execute();
    });
  }

  values(scope: string): Promise<Readonly<Record<string, Json>>> {
    return this.#ask(async (db) => {
      const rows = await db
        .selectFrom('spillway_value')
        .select(['name', 'body'])
        .where('scope_key', '=', keyOf(scope))
        .orderBy('name_key')
        .execute();
      return Object.fromEntries(rows.map(({ name, body }) => [readText(name), read.parsed<Json>(body)]));
    });
  }

  threads(of: { readonly sessionId?: string; readonly limit?: number } = {}): Promise<readonly ThreadInfo[]> {
    return this.#ask((db) => read.readThreads(db, of));
  }

  /** Waits for the calls under way. */
  close(): Promise<void> {
    this.#closing ??= Promise.allSettled(this.#underWay).then(() => this.#parts.db.destroy());
    return this.#closing;
  }

  /** Where the answer got lost, true if it was done all the same; rejects where it was not, or nobody knows. */
  async #surely(
    change: () => Promise<boolean>,
    wasDone: (db: Database) => Promise<boolean | undefined>,
  ): Promise<boolean> {
    try {
      return await change();
    } catch (fault) {
      if (!(fault instanceof SpillwayError) || fault.facts.outcome !== 'unknown') throw fault;
      const done = await this.#ask(wasDone).catch(() => undefined);
      if (done) return true;
      if (done === undefined) throw fault;
      // It is known now: nothing was changed.
      throw this.#parts.dialect.faultOf((fault.cause as Error).cause);
    }
  }

  #change<T>(work: (open: Open) => Promise<T>): Promise<T> {
    return this.#ask((db) => db.transaction().execute(work));
  }

  async #ask<T>(work: (db: Database) => Promise<T>): Promise<T> {
    const { db, dialect, patienceMs } = this.#parts;
    if (this.#closing) throw closedFault(this.name);
    const asked = patiently(
      () => work(db),
      (error) => dialect.isPassing(error),
      patienceMs,
    );
    this.#underWay.add(asked);
    try {
      return await asked;
    } catch (error) {
      if (error instanceof SpillwayError) throw error;
      if (dialect.isIdTaken(error)) throw idTaken(undefined, error);
      throw dialect.faultOf(error);
    } finally {
      this.#underWay.delete(asked);
    }
  }
}
