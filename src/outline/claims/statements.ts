import type { LogMessage, ReadonlyLog } from '../../transcript/index.js';
import { proseOf } from '../prose.js';
import { withoutOwnText, withoutPrograms } from '../said/index.js';
import type { Claim } from './claim.js';
import { DecisionBook } from './decisions.js';
import { InstructionBook } from './instructions.js';
import { PlanBook } from './plan.js';
import { requirementsIn } from './requirements.js';
import { RuleBook, type Ended } from './rules.js';
import { RunBook } from './runs.js';

/** What a user said, without what programs put into it. */
export interface Request {
  readonly seq: number;
  readonly id: string;
  readonly text: string;
}

/** “Yes”, “go on”: what they are about was said before. In characters. */
const WORD_OF_ASSENT = 40;
const MOST_REQUESTS = 6;
const MOST_REQUIREMENTS = 30;

/**
 * Statements that hold until something newer says otherwise, read off the log as it grows: the log is all they come
 * from, never a text that stands in place of it.
 */
export class StatementLedger {
  readonly rules = new RuleBook();
  readonly decisions = new DecisionBook();
  readonly runs = new RunBook();
  readonly plan = new PlanBook(this.runs);
  readonly instructions = new InstructionBook();
  readonly #log: ReadonlyLog;
  #requirements: Claim[] = [];
  #requests: Request[] = [];
  #next = 0;

  constructor(log: ReadonlyLog) {
    this.#log = log;
  }

  /** Lists of demands, letter for letter, oldest first. */
  get requirements(): readonly Claim[] {
    return this.#requirements;
  }

  /** The newest thing a user asked for; where that only says “go on”, what he asked for before as well. Oldest first. */
  get requests(): readonly Request[] {
    const from = this.#requests.findLastIndex(({ text }) => text.length >= WORD_OF_ASSENT);
    return this.#requests.slice(Math.max(0, from));
  }

  /** Everything, typed, each with where it stands and whether it holds. */
  get claims(): readonly Claim[] {
    const { rules, decisions, runs, plan, instructions } = this;
    const constraints = rules.rules.map(({ binding: _, shorter: __, ...claim }): Claim => claim);
    return [
      ...constraints,
      ...this.#requirements,
      ...decisions.claims.map(({ kind, status, text, seq, id, endedBy }): Claim => ({
        kind,
        status,
        text,
        seq,
        id,
        ...(endedBy !== undefined && { endedBy }),
      })),
      ...plan.claims,
      ...runs.errors,
      ...runs.checks,
      ...instructions.claims,
    ];
  }

  /** What a user's message said that holds no longer. */
  readonly endedIn = (seq: number): readonly Ended[] => this.rules.endedIn(seq);

  catchUp(): void {
    for (; this.#next < this.#log.length; this.#next++) this.#read(this.#log.at(this.#next));
  }

  #read(message: LogMessage): void {
    const { role, origin } = message;
    this.runs.read(message);
    this.plan.read(message);
    this.instructions.read(message);
    if (origin === 'synthetic') return;
    if (role === 'user') this.#hear(message);
    else if (role === 'assistant') this.decisions.hear(message, withoutOwnText(proseOf(message)));
  }

  #hear(message: LogMessage): void {
    const text = withoutPrograms(withoutOwnText(proseOf(message))).trim();
    if (text === '') return;
    const { seq, id } = message;
    const lists = requirementsIn(text);
    for (const list of lists)
      this.#requirements.push({ kind: 'requirement', status: 'live', text: list, seq, id });
    if (this.#requirements.length > MOST_REQUIREMENTS)
      this.#requirements = this.#requirements.slice(-MOST_REQUIREMENTS);
    this.#requests = [...this.#requests, { seq, id, text }].slice(-MOST_REQUESTS);
    this.rules.hear(message, text);
  }
}
