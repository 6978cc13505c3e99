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
  /** Throws where the rule is broken, best a `RuleBroken`; anything else that is thrown counts as broken too. */
  check(subject: Subject): void | Promise<void>;
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
  /** What was seen where it does not hold. */
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
      await rule.check(subject);
      verdicts.push({ id, intent, holds: true });
    } catch (fault) {
      const seen = isError(fault) ? fault.message : String(fault);
      verdicts.push({ id, intent, holds: false, seen });
    }
  }
  return verdicts;
}
