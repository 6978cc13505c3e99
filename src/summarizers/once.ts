import type { Artifact, Artifacts } from './artifacts.js';
import { settledOrAborted } from './each.js';

interface Purchase {
  /** What it is bought for. */
  readonly key: string;
  readonly maxTokens: number;
  /** Whether a text that somebody bought is short enough here. */
  readonly fits: (artifact: Artifact) => boolean;
  /** The call itself; made only where nobody has the text or is buying it. */
  readonly make: () => Promise<Artifact>;
  readonly signal: AbortSignal;
}

/** Buys each text once: who asks for what is being bought already waits for it, and buys it only if that fails. */
export class BoughtOnce {
  readonly #artifacts: Artifacts;
  readonly #running = new Map<string, Promise<Artifact>>();

  constructor(artifacts: Artifacts) {
    this.#artifacts = artifacts;
  }

  async buy(purchase: Purchase): Promise<Artifact> {
    const { key, fits, signal } = purchase;
    for (;;) {
      const running = this.#running.get(key);
      if (!running) return this.#lead(purchase);
      const theirs = await settledOrAborted(
        running.catch(() => undefined),
        signal,
      );
      if (theirs && fits(theirs)) return theirs;
    }
  }

  #lead(purchase: Purchase): Promise<Artifact> {
    const buying = (async () => {
      try {
        return await this.#findOrMake(purchase);
      } finally {
        this.#running.delete(purchase.key);
      }
    })();
    // Set before anything is awaited, so that nobody slips in between looking and buying.
    this.#running.set(purchase.key, buying);
    return buying;
  }

  async #findOrMake({ key, maxTokens, fits, make }: Purchase): Promise<Artifact> {
    const known = await this.#find(key);
    if (known && fits(known)) return known;
    // The first text under a key stays, so one that had more room leaves this allowance a key of its own.
    const own = known ? `${key}:${maxTokens}` : key;
    const narrow = known && (await this.#find(own));
    if (narrow && fits(narrow)) return narrow;
    const made = await make();
    const kept = await this.#artifacts.keepFirst(own, made).catch(() => made);
    return fits(kept) ? kept : made;
  }

  #find(key: string): Promise<Artifact | undefined> {
    return this.#artifacts.get(key).catch(() => undefined);
  }
}
