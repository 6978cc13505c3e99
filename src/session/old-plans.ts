import { promisify } from 'node:util';
import { deflateRaw, inflateRawSync } from 'node:zlib';
import { SerialQueue } from '../pressure/index.js';
import { parseJson, writeJson, type Ledger, type Plan, type PlannedEdit } from '../transcript/index.js';

/** The newest records keep their texts as they are: an undo and the next checkpoint ask for these. */
const RECENT = 2;
/** Edits that take less as JSON are left: there is nothing to gain. */
const MIN_CHARS = 2_000;
/** Texts of a session repeat themselves: the fastest level takes most of it. */
const LEVEL = 1;

const deflate = promisify(deflateRaw) as (
  text: string,
  options: { readonly level: number },
) => Promise<Uint8Array>;

/**
 * Deflates the edits of all but the newest records of a ledger. They were a third to a half of what a long session holds
 * in memory, and are asked for by an undo, a rollback or somebody who looks back; `plan.edits` then inflates them.
 */
export class OldPlans {
  readonly #ledger: Ledger;
  /** How many records were looked at. */
  #done = 0;
  readonly #packing = new SerialQueue();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** Works beside the session, one record at a time. Resolves when all are done that the ledger holds by now. */
  pack(): Promise<void> {
    return this.#packing.do(async () => {
      const from = this.#done;
      this.#done = Math.max(from, this.#ledger.records.length - RECENT);
      await packBetween(this.#ledger, from, this.#done).catch(() => undefined);
    });
  }
}

async function packBetween(ledger: Ledger, from: number, to: number): Promise<void> {
  for (let place = from; place < to; place++) {
    const { plan } = ledger.records[place]!;
    const text = writeJson(plan.edits)!;
    if (text.length >= MIN_CHARS) ledger.restate(plan, packed(plan, await deflate(text, { level: LEVEL })));
  }
}

/** The same plan, field by field in the same order. */
function packed(plan: Plan, deflated: Uint8Array): Plan {
  // A copy: what the compressor gives is a corner of a larger buffer.
  const bytes = new Uint8Array(deflated);
  let inflated: WeakRef<readonly PlannedEdit[]> | undefined;
  const edits = (): readonly PlannedEdit[] => {
    const known = inflated?.deref();
    if (known) return known;
    const read = parseJson(inflateRawSync(bytes).toString('utf8')) as readonly PlannedEdit[];
    inflated = new WeakRef(read);
    return read;
  };
  const same = {};
  for (const [name, value] of Object.entries(plan)) {
    const field = name === 'edits' ? { get: edits } : { value, writable: true };
    Object.defineProperty(same, name, { ...field, enumerable: true, configurable: true });
  }
  return same as Plan;
}
