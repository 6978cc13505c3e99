import type { LogFold, LogMessage, ReadonlyLog } from '../../transcript/index.js';
import { ReplyReader, wordsOf } from '../replies/index.js';
import { userWordsIn } from '../speakers/index.js';
import { BoundBook } from './bound-book.js';
import { CheckBook } from './check-runs.js';
import type { Claim } from './claim.js';
import { CommitBook } from './commits.js';
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
  readonly checks = new CheckBook();
  readonly plan = new PlanBook(this.checks);
  readonly commits = new CommitBook();
  readonly instructions = new InstructionBook();
  readonly #log: ReadonlyLog;
  readonly #replies = new ReplyReader();
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
    const { bounds, checks, plan, instructions } = this;
    return [
      ...bounds.claims,
      ...this.#requirements,
      ...plan.claims,
      ...checks.failing,
      ...checks.passing,
      ...instructions.claims,
    ];
  }

  read(message: LogMessage): void {
    this.checks.read(message);
    this.plan.read(message);
    this.commits.read(message);
    this.instructions.read(message);
    for (const part of message.parts) {
      const reply = this.#replies.read(part);
      if (reply) this.#hear(message, wordsOf(reply), false);
    }
    if (message.role !== 'user' || message.origin === 'synthetic') return;
    this.#hear(message, userWordsIn(message, message.seq > 0 ? this.#log.at(message.seq - 1) : undefined));
  }

  /** What the user says, in a message or in reply to a call: a reply ends no bound, for a program may have printed it. */
  #hear(message: LogMessage, words: string, mayEnd = true): void {
    if (words === '') return;
    const { seq, id } = message;
    for (const text of requirementsIn(words))
      this.#requirements.push({ kind: 'requirement', status: 'live', text, seq, id });
    if (this.#requirements.length > MOST_REQUIREMENTS)
      this.#requirements = this.#requirements.slice(-MOST_REQUIREMENTS);
    this.bounds.read(message, words, mayEnd);
  }
}
