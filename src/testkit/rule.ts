import { isError } from './frozen.js';

/**
 * One rule of the conformance kit, as data: no test framework, no assertion library. `Subject` is what is judged:
 * a stage, a wire format, a summarizer, or a way to open a store.
 */
export interface ContractRule<Subject> {
  /** e.g. `STAGE-03`; never reused for another rule. */
  readonly id: string;
  /** One sentence for the author of what is judged: what must hold, and what breaks where it does not. */
  readonly intent: string;
  /**
   * Throws where the rule is broken, best a `RuleBroken`; anything else that is thrown counts as broken too. Says so where
   * nothing was met that it could have judged.
   */
  check(subject: Subject): Exercise | Promise<Exercise>;
}

/** Why a rule judged nothing; nothing where it did. */
export type Exercise = void | NotExercised;

/** A rule met nothing that it speaks of: that it holds says nothing. */
export interface NotExercised {
  readonly notExercised: string;
}

/** A rule does not hold: `message` says what was seen, in words that the author can act on. */
export class RuleBroken extends Error {
  constructor(seen: string, options?: { readonly cause?: unknown }) {
    super(seen, options);
    this.name = 'RuleBroken';
  }
}

/** What became of one rule. */
export interface Verdict {
  readonly id: string;
  readonly intent: string;
  readonly holds: boolean;
  /** False where the rule met nothing that it speaks of; `seen` says what it looked for. */
  readonly exercised: boolean;
  /** What was seen where it does not hold or was not exercised. */
  readonly seen?: string;
}

/** Puts a subject to every rule, one after the other. Never rejects: what a check throws is its verdict. */
export async function judge<Subject>(
  subject: Subject,
  rules: readonly ContractRule<Subject>[],
): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const { id, intent, ...rule } of rules) {
    try {
      const exercise = await rule.check(subject);
      const said = exercise ? { exercised: false, seen: exercise.notExercised } : { exercised: true };
      verdicts.push({ id, intent, holds: true, ...said });
    } catch (fault) {
      const seen = isError(fault) ? fault.message : String(fault);
      verdicts.push({ id, intent, holds: false, exercised: true, seen });
    }
  }
  return verdicts;
}
