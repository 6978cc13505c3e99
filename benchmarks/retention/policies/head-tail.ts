import { inARow, newest, split, together, tokensOf } from './exchanges.js';
import { stateless } from './policy.js';

/** Half of the budget for the oldest exchanges, the rest for the newest. */
export const headTail = stateless('head+tail', (history, budget) => {
  const { head, rest, left } = split(history, budget);
  const oldest = inARow(rest, left / 2);
  const tail = newest(rest.slice(oldest.length), left - tokensOf(oldest));
  return together(head, [...oldest, ...tail]);
});
