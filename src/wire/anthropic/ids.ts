import { createHash } from 'node:crypto';

const LEGAL_ID = /^[a-zA-Z0-9_-]{1,64}$/;
const LONGEST = 64;

/**
 * The id of a call as the provider takes it: the log's own, or one made from it. The same source gives the same id, so
 * that both sides of a pair agree, and two sources never give one.
 */
function legalId(id: string): string {
  if (LEGAL_ID.test(id)) return id;
  const hash = createHash('sha256').update(id).digest('hex').slice(0, 16);
  return `${id.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, LONGEST - hash.length - 1)}_${hash}`;
}

/** Gives each call of a request an id of its own: ids that were used before get a number. */
export class IdBook {
  readonly #taken = new Set<string>();
  readonly #counts = new Map<string, number>();

  take(id: string): string {
    const base = legalId(id);
    let count = this.#counts.get(base) ?? 1;
    let free = base;
    while (this.#taken.has(free)) {
      count += 1;
      free = `${base.slice(0, LONGEST - 8)}_${count}`;
    }
    this.#counts.set(base, count);
    this.#taken.add(free);
    return free;
  }
}
