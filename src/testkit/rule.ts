import { isError } from './frozen.js';

/**
 * One rule of the conformance kit, as data: no test framework, no assertion library. `Subject` is the judged part: a
 * stage, a wire format, a summarizer, a plugin, or a way to open a store.
 */
export interface ContractRule<Subject> {
  /** e.g. `STAGE-03`; never reused for another rule. */
  readonly id: string;
  /** One sentence for the author of the part: what must hold, and what breaks otherwise. */
  readonly intent: string;
  /**
   * Throws if the rule is broken, preferably a `RuleBroken`; any other error also counts as broken. Returns a reason if
   * it met no case that it could judge.
   */
  check(subject: Subject): Exercise | Promise<Exercise>;
}

/** The reason why a rule judged no case; undefined if it did. */
export type Exercise = void | NotExercised;

/** A rule met no case that it applies to, so that its success means nothing. */
export interface NotExercised {
  readonly notExercised: string;
}

/** A rule is broken: `message` tells what was observed, in words that the author can act on. */
export class RuleBroken extends Error {
  constructor(seen: string, options?: { readonly cause?: unknown }) {
    super(seen, options);
    this.name = 'RuleBroken';
  }
}

/** The outcome of one rule. */
export interface Verdict {
  readonly id: string;
  readonly intent: string;
  readonly holds: boolean;
  /** False if the rule met no case that it applies to; `seen` tells what it looked for. */
  readonly exercised: boolean;
  /** What was observed if the rule is broken or was not exercised. */
  readonly seen?: string;
}

/** Checks a subject against every rule, one after the other. Never rejects: an error of a check is its verdict. */
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
