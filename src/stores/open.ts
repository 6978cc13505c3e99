import { checkVersion, COUNT, fieldFaults, FUNCTION, oneOf, SpillwayError } from '../errors/index.js';
import type { SessionStore } from '../spi/index.js';
import { steadyClock } from './steady-clock.js';
import { memoryStore } from './memory.js';
import { PATIENCE_MS } from './patience.js';
import { safeUrl } from './fault.js';

/** Time and space that a store may use, and when its commits are safe. */
export interface StoreOptions {
  /** Milliseconds since the epoch; for tests. */
  readonly nowMs?: () => number;
  /** How long a call waits for another process that blocks it before it gives up. Default 10,000. */
  readonly patienceMs?: number;
  /**
   * SQLite: when a commit is on the disk. `full`, the default: before the call resolves. `normal`: with a later commit;
   * a power cut then loses the newest commits, a crash of the process none.
   */
  readonly synchronous?: 'full' | 'normal';
  /** The largest size of an SQLite file; beyond it writes reject with `STORE_FULL`. Default: the size of the disk. */
  readonly maxBytes?: number;
}

const OPTIONS = { nowMs: FUNCTION, patienceMs: COUNT, synchronous: oneOf('full', 'normal'), maxBytes: COUNT };

const ALLOWED = 'memory:, sqlite:FILE, postgres://USER:PASSWORD@HOST/NAME';

/**
 * Opens the store that a URL names, and creates or updates its tables: `memory:`, `sqlite:./file.db`,
 * `sqlite::memory:`, `postgres://...`. The driver is loaded only here. Rejects with a `STORE_...` error, which never
 * shows a password, and with `ARGUMENT_INVALID` for unknown or invalid options.
 */
export async function openStore(url: string, options: StoreOptions = {}): Promise<SessionStore> {
  const faults = fieldFaults('openStore', options, OPTIONS, 'Correct it, or leave it out.');
  if (faults[0]) throw new SpillwayError('ARGUMENT_INVALID', { ...faults[0], faults });
  const [, scheme = '', rest = ''] = /^([a-z][a-z\d+.-]*):(.*)$/is.exec(url) ?? [];
  const parts = {
    nowMs: steadyClock(options.nowMs ?? Date.now),
    patienceMs: options.patienceMs ?? PATIENCE_MS,
  };
  switch (scheme.toLowerCase()) {
    case 'memory':
      if (rest.replace(/^\/\//, '') !== '') break;
      return memoryStore(parts.nowMs);
    case 'sqlite': {
      const path = rest.replace(/^\/\//, '');
      if (path === '') break;
      checkVersion('libsql', `store ${safeUrl(url)}`);
      const { openSqlite } = await import('./sqlite/index.js');
      const { maxBytes, synchronous } = options;
      return openSqlite(path, {
        ...parts,
        ...(maxBytes !== undefined && { maxBytes }),
        ...(synchronous !== undefined && { synchronous }),
      });
    }
    case 'postgres':
    case 'postgresql': {
      const { openPostgres } = await import('./postgres/index.js');
      return openPostgres(url, parts);
    }
    default:
  }
  throw new SpillwayError('STORE_UNKNOWN', {
    subject: 'store',
    found: safeUrl(url),
    allowed: ALLOWED,
    remedy: 'Name one of these.',
  });
}
