import { newest, split, together } from './exchanges.js';
import { stateless, type Choose } from './policy.js';

/** System, task, and the newest exchanges that fit. */
const keep: Choose = (history, budget) => {
  const { head, rest, left } = split(history, budget);
  return together(head, newest(rest, left));
};

export const keepNewest = stateless('keep-newest', keep);

/** Keeps the newest in the whole window, so sends more than Spillway: the goals compare with this figure. */
export const keepNewestInWindow = stateless('keep-newest, window', keep, 'window');

/** Leaves nothing out, at any window: a fact that it does not anchor was alone on its line from the start. */
export const everything = stateless('everything', (history) => history, 'window');
