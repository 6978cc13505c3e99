import { isDeepStrictEqual } from 'node:util';
import { overflowed, type Usage } from '../tokens/index.js';
import { callEvent } from './calls.js';
import type { Pieces } from './wiring.js';

/** Takes in the usage that a provider reports for the newest request. */
export class UsageReports {
  /** The newest report that could not be stored, with its call. */
  #unstored: { readonly call: number | undefined; readonly usage: Usage } | undefined;
  constructor(
    private readonly pieces: Pick<
      Pieces,
      'audit' | 'costs' | 'early' | 'gauge' | 'inbox' | 'persistence' | 'requests' | 'thread' | 'triggers'
    >,
  ) {}

  observe(usage: Usage): Promise<void> {
    const { thread, gauge, costs, audit, triggers, early, persistence, requests, inbox } = this.pieces;
    const { call: newest, recalledTokens } = requests.newest ?? {};
    // The caller repeats a report that could not be stored. It already waits, and is recognised until it is stored.
    if (this.#unstored?.call === newest && isDeepStrictEqual(this.#unstored?.usage, usage)) {
      const again = persistence.record([]);
      again.then(
        () => (this.#unstored = undefined),
        () => undefined,
      );
      return again;
    }
    costs.addPrimary(usage, gauge.model, recalledTokens);
    const { reading, call, notices } = requests.observe(usage);
    if (reading && triggers.isAuto && overflowed(usage, reading.budget) && !usage.isSum) {
      thread.memory.overflowed = true;
      // A marker in the log, which stored sessions find again after a restart.
      void inbox.queue(true);
    }
    if (reading) early.start();
    for (const { kind, ...facts } of notices) audit.add(kind, undefined, facts);
    const noted = persistence.record(call ? [callEvent(call)] : []);
    noted.then(
      () => (this.#unstored = undefined),
      () => (this.#unstored = { call: newest, usage }),
    );
    return noted;
  }
}
