import { SpillwayError } from '../errors/index.js';
import type { Reading } from '../tokens/index.js';
import type { Floor, StageOutcome } from '../transcript/index.js';
/** What may never be removed does not fit. */
export interface Unreachable {
  readonly kind: 'unreachable';
  readonly error: SpillwayError;
  readonly stages: readonly StageOutcome[];
}

/** Says what the floor is made of. */
export function unreachable(floor: Floor, reading: Reading, stages: readonly StageOutcome[]): Unreachable {
  const { budget, tokens, scale } = reading;
  const parts = Object.entries(floor.parts).filter(([, part]) => part > 0);
  const breakdown = parts.map(([name, part]) => `${name} ${Math.round(part)}`).join(', ');
  // The floor is a lower bound; where it fits and the request does not, what is left says why.
  const least = Math.max(Math.ceil(floor.total * scale), stages.length > 0 ? tokens : 0);
  const error = new SpillwayError('BUDGET_UNREACHABLE', {
    subject: 'what may never be removed',
    found: `${least} tokens (${breakdown})`,
    allowed: `${budget.tokens} tokens`,
    remedy: 'Use a larger window, shorten the message or the tool definitions, or release pins and holds.',
    facts: { floor, limit: budget.tokens, tokens },
  });
  return { kind: 'unreachable', error, stages };
}
