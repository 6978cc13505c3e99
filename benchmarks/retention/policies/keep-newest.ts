import { newest, split, together } from './exchanges.js';
import { stateless, type Choose } from './policy.js';

/** System, task, and the newest exchanges that fit. */
const keep: Choose = (history, budget) => {
  const { head, rest, left } = split(history, budget);
  return together(head, newest(rest, left));
};

export const keepNewest = stateless('keep-newest', keep);

/** With the whole window, so more than Spillway sends: the figure that the goals are held against. */
export const keepNewestInWindow = stateless('keep-newest, window', keep, 'window');

/** Nothing left out, over any window: what it does not anchor stood alone on its line from the start. */
export const everything = stateless('everything', (history) => history, 'window');
