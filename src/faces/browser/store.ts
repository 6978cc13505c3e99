/** Replaces the stores on disks and in databases. */
import { SpillwayError } from '../../errors/index.js';

function none(): never {
  throw new SpillwayError('STORE_UNKNOWN', {
    subject: 'store',
    found: 'a database, in a browser',
    allowed: 'memory:, or a store of your own',
    remedy: 'Hand in an object that keeps sessions where this page can: { store }.',
  });
}

export const openSqlite = none;
export const openPostgres = none;
