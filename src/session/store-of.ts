import { SpillwayError } from '../errors/index.js';
import type { SessionStore } from '../spi/index.js';

/** Where sessions are kept; throws `STORE_UNKNOWN` where no store was named. */
export function storeOf(store: SessionStore | undefined): SessionStore {
  if (store) return store;
  throw new SpillwayError('STORE_UNKNOWN', {
    subject: 'store',
    found: 'none',
    allowed: 'memory, sqlite:FILE, postgres://HOST/NAME, or a store of your own',
    remedy: "Name one: createSpillway({ store: 'sqlite:./spillway.db' }).",
  });
}
