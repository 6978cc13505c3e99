import { isDeepStrictEqual } from 'node:util';
import { overflowed, type Usage } from '../tokens/index.js';
import { callEvent } from './calls.js';
import type { Pieces } from './wiring.js';

/** Takes in what a provider reports of the newest request. */
export class UsageReports {
  /** The newest report that could not be stored, and the call it is of. */
  #unstored: { readonly call: number | undefined; readonly usage: Usage } | undefined;
  constructor(
    private readonly of: Pick<
      Pieces,
      'audit' | 'costs' | 'early' | 'gauge' | 'inbox' | 'persistence' | 'requests' | 'thread' | 'triggers'
    >,
  ) {}

  observe(usage: Usage): Promise<void> {
    const { thread, gauge, costs, audit, triggers, early, persistence, requests, inbox } = this.of;
    const { call: newest, recalledTokens } = requests.newest ?? {};
    // Told again because it could not be stored: it waits already, and is known again only until it is stored.
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
      // A task in the stream itself; kept sessions find it again after a restart.
      void inbox.queue(true);
    }
    if (reading) early.start();
    for (const { what, ...facts } of notices) audit.say(what, undefined, facts);
    const noted = persistence.record(call ? [callEvent(call)] : []);
    noted.then(
      () => (this.#unstored = undefined),
      () => (this.#unstored = { call: newest, usage }),
    );
    return noted;
  }
}
