import type { RunInput } from '../../pipeline/index.js';
import type { ReadAnswer } from '../../plugins/index.js';
import type { PreCompact } from '../../spi/index.js';
import type { Reading } from '../../tokens/index.js';

/** Of the budget, what one plugin may have carried; and in tokens. As claims, which stand beside it. */
const CARRIED_SHARE = 0.08;
const MAX_CARRIED = 4_000;

/** Throws `TypeError` where an answer asks for what cannot be had. */
export function checkedAnswer(
  answer: ReadAnswer,
  event: PreCompact,
  { policy }: RunInput,
  { budget, scale }: Reading,
  count: (text: string) => number,
): ReadAnswer {
  const byId = new Map(event.messages.map((message) => [message.id, message]));
  const counted = (tokens: number): number => Math.floor(tokens / scale);
  let retained = 0;
  for (const id of new Set(answer.retain)) {
    const message = byId.get(id);
    if (!message) throw new TypeError(`retains ${id}, which is no message in view`);
    retained += message.tokens;
  }
  const mostRetained = counted(policy.shares.pins * budget.tokens);
  if (retained > mostRetained)
    throw new TypeError(`retains ${retained} tokens; at most ${mostRetained}, the share of pins`);
  const injected = (answer.inject ?? []).reduce((sum, text) => sum + count(text), 0);
  const mostInjected = Math.min(MAX_CARRIED, counted(CARRIED_SHARE * budget.tokens));
  if (injected > mostInjected) throw new TypeError(`injects ${injected} tokens; at most ${mostInjected}`);
  return answer;
}
