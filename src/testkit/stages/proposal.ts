import { isLoose } from '../wire/loose.js';
import type { Proposal } from '../../spi/index.js';

/** What a stage answered as a proposal, or in words why it is none. Looks at the shape alone. */
export function proposalIn(answer: unknown): Proposal | string {
  if (!isLoose(answer)) return `plan returned ${answer === null ? 'null' : typeof answer}`;
  if (typeof answer.then === 'function') return 'plan returned a promise; it must be synchronous';
  if (!Array.isArray(answer.edits)) return 'the answer has no list of edits';
  for (const edit of answer.edits as unknown[]) {
    const fault = faultOf(edit);
    if (fault !== undefined) return fault;
  }
  return answer as unknown as Proposal;
}

function faultOf(edit: unknown): string | undefined {
  if (!isLoose(edit)) return 'an edit is no object';
  if (typeof edit.reason !== 'string' || edit.reason === '') return 'an edit gives no reason';
  if (edit.kind === 'replace') {
    if (typeof edit.messageId !== 'string' || !Number.isInteger(edit.partIndex))
      return 'a replace names no part';
    return Array.isArray(edit.content) && edit.content.every(isLoose)
      ? undefined
      : 'a replace has no list of parts';
  }
  if (edit.kind !== 'supersede') return `an edit is of kind ${String(edit.kind)}`;
  if (typeof edit.fromId !== 'string' || typeof edit.toId !== 'string') return 'a supersede names no span';
  const { replacement } = edit;
  const whole =
    Array.isArray(replacement) && replacement.every((one) => isLoose(one) && Array.isArray(one.parts));
  return whole ? undefined : 'a supersede has no list of messages';
}
