import { PostgresDialect, PostgresDriver, type DatabaseConnection, type PostgresDialectConfig } from 'kysely';
import { isLost, UnknownOutcome } from './faults.js';

/** Says of a commit whose answer never came that its outcome is not known. */
class CarefulDriver extends PostgresDriver {
  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      await super.commitTransaction(connection);
    } catch (error) {
      throw isLost(error) ? new UnknownOutcome((error as Error).message, { cause: error }) : error;
    }
  }

  /** A connection that is gone has rolled back already; the first fault is the one to report. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await super.rollbackTransaction(connection).catch(() => undefined);
  }
}

export class CarefulPostgres extends PostgresDialect {
  readonly #config: PostgresDialectConfig;

  constructor(config: PostgresDialectConfig) {
    super(config);
    this.#config = config;
  }

  override createDriver(): PostgresDriver {
    return new CarefulDriver(this.#config);
  }
}
