import type { LogFold, LogMessage, ReadonlyLog } from '../../transcript/index.js';
import { userWordsIn } from '../speakers/index.js';
import { BoundBook } from './bound-book.js';
import type { Claim } from './claim.js';
import { FailureBook } from './failures.js';
import { InstructionBook } from './instructions.js';
import { PlanBook } from './plan.js';
import { requirementsIn } from './requirements.js';

const MOST_REQUIREMENTS = 30;

/**
 * Statements that hold until something newer says otherwise, read off the log as it grows: the log is all they come
 * from, never a text that stands in place of it.
 */
export class StatementIndex implements LogFold {
  readonly bounds = new BoundBook();
  readonly failures = new FailureBook();
  readonly plan = new PlanBook(this.failures);
  readonly instructions = new InstructionBook();
  readonly #log: ReadonlyLog;
  #requirements: Claim[] = [];

  constructor(log: ReadonlyLog) {
    this.#log = log;
  }

  /** Lists of demands, letter for letter, oldest first. */
  get requirements(): readonly Claim[] {
    return this.#requirements;
  }

  /** Everything, typed, each with where it stands and whether it holds. */
  get claims(): readonly Claim[] {
    const { bounds, failures, plan, instructions } = this;
    return [
      ...bounds.claims,
      ...this.#requirements,
      ...plan.claims,
      ...failures.claims,
      ...instructions.claims,
    ];
  }

  read(message: LogMessage): void {
    this.failures.read(message);
    this.plan.read(message);
    this.instructions.read(message);
    if (message.role !== 'user' || message.origin === 'synthetic') return;
    const words = userWordsIn(message, message.seq > 0 ? this.#log.at(message.seq - 1) : undefined);
    if (words === '') return;
    const { seq, id } = message;
    for (const text of requirementsIn(words))
      this.#requirements.push({ kind: 'requirement', status: 'live', text, seq, id });
    if (this.#requirements.length > MOST_REQUIREMENTS)
      this.#requirements = this.#requirements.slice(-MOST_REQUIREMENTS);
    this.bounds.read(message, words);
  }
}
