import { join, newest, split } from './exchanges.js';
import { stateless } from './policy.js';

/** System, task, and the newest exchanges that fit. */
export const keepNewest = stateless('keep-newest', (history, budget) => {
  const { head, rest, left } = split(history, budget);
  return join(head, newest(rest, left));
});
