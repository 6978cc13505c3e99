import { createLogUpdate } from 'log-update';
import type { Terminal } from './terminal.js';

/** Shows one line on stderr during long work. Shows nothing if no person watches the terminal. */
export function createProgress({ interactive }: Terminal, total: number, what: string) {
  if (!interactive) return { at: () => {}, done: () => {} };
  const update = createLogUpdate(process.stderr);
  let shown = -1;
  return {
    at: (done: number) => {
      const share = Math.floor((100 * done) / Math.max(1, total));
      if (share === shown) return;
      shown = share;
      update(`${what} ${done} of ${total} (${share} %)`);
    },
    done: () => update.clear(),
  };
}
