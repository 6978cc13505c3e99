/** A hook that was called and has not settled. */
export interface HookInFlight {
  readonly plugin: string;
  readonly hook: string;
  readonly sessionId: string;
  readonly agentPath: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** Calls of hooks that have not settled, however long ago they were given up: a hang is found by its name. */
export class HooksInFlight {
  readonly #calls = new Set<HookInFlight>();

  get all(): readonly HookInFlight[] {
    return [...this.#calls];
  }

  /** Returns what ends it. */
  begin(call: HookInFlight): () => void {
    this.#calls.add(call);
    return () => void this.#calls.delete(call);
  }
}
