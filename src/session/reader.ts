import { DigestIndex } from '../digest/index.js';
import { ReferenceIndex, SecretBook, type Redact } from '../facts/index.js';
import { StatementIndex } from '../reading/index.js';
import { LogReader, type ReadonlyLog } from '../transcript/index.js';

/**
 * All that is read off a session's log and kept: references, statements, digests, secrets. Reads only when it is asked
 * to catch up, so a session that never compacts pays nothing.
 */
export class Reader {
  readonly references: ReferenceIndex;
  readonly statements: StatementIndex;
  readonly digests: DigestIndex;
  readonly secrets: SecretBook;
  readonly #reader: LogReader;

  constructor(log: ReadonlyLog, redact: Redact) {
    this.references = new ReferenceIndex(log);
    this.statements = new StatementIndex(log);
    this.digests = new DigestIndex(log);
    this.secrets = new SecretBook(redact);
    this.#reader = new LogReader(log, this.references, this.statements, this.digests, this.secrets);
  }

  /** Itself, with everything read that was appended since. */
  caughtUp(): this {
    this.#reader.catchUp();
    return this;
  }
}
