import CircuitBreaker from 'opossum';

/** `open`: nothing is asked until the cooldown is over; `half-open`: then one call is tried. */
export type BreakerState = 'closed' | 'open' | 'half-open';

/** What a call says when the breaker does not let it through. */
export class BreakerOpen extends Error {
  override readonly name = 'BreakerOpen';

  constructor() {
    super('the breaker is open');
  }
}

export interface BreakerOptions {
  /** Failures in a row that open it. */
  readonly failures: number;
  readonly cooldownMs: number;
  /** One breaker for each endpoint, or for each endpoint and stage. */
  readonly scope: 'pipeline' | 'stage';
}

type Call = () => Promise<unknown>;
type Counts = (error: unknown) => boolean;
type Circuit = CircuitBreaker<[Call, Counts], unknown>;

const ALL_STAGES = '*';

/**
 * Of all circuits: none opens by what opossum counts, and a window of its own would count on timers for ever, for every
 * thread that ever asked (10,000 of them took 15 % of a processor). Latencies are not looked at either.
 */
const UNREAD = CircuitBreaker.newStatus({ enableSnapshots: false, rollingPercentilesEnabled: false });

/** The breakers of one agent path: after so many failures in a row nothing is called until the cooldown is over; then one trial decides. */
export class Breakers {
  readonly #circuits = new Map<string, Circuit>();
  /** Told of every change, with the stage it is for (`*`: all of them). */
  onChange: (stage: string, state: BreakerState) => void = () => {};

  #options: BreakerOptions;

  constructor(options: BreakerOptions) {
    this.#options = options;
  }

  /** Other settings hold for breakers that stand, too; with another cooldown they begin anew. */
  set options(options: BreakerOptions) {
    if (options.cooldownMs !== this.#options.cooldownMs) {
      for (const circuit of this.#circuits.values()) {
        circuit.close();
        // A call that is under way tells nothing of it any more.
        circuit.removeAllListeners();
      }
      this.#circuits.clear();
    }
    this.#options = options;
  }

  /** Runs a call, or rejects with `BreakerOpen`. `counts` says of an error whether it was the endpoint's. */
  async run<Result>(
    endpoint: string,
    stage: string,
    call: () => Promise<Result>,
    counts: Counts,
  ): Promise<Result> {
    const scope = this.#options.scope === 'stage' ? stage : ALL_STAGES;
    const key = `${scope} ${endpoint}`;
    const circuit = this.#circuits.get(key) ?? this.#open(scope);
    this.#circuits.set(key, circuit);
    try {
      // In half-open opossum lets one call through and rejects the others until it settles.
      return (await circuit.fire(call, counts)) as Result;
    } catch (error) {
      throw CircuitBreaker.isOurError(error as Error) ? new BreakerOpen() : error;
    }
  }

  get states(): Readonly<Record<string, BreakerState>> {
    return Object.fromEntries(
      [...this.#circuits].map(([key, circuit]) => [
        key,
        circuit.opened ? 'open' : circuit.halfOpen ? 'half-open' : 'closed',
      ]),
    );
  }

  /**
   * opossum counts percentages in a window; this opens after exactly `failures` in a row. An error that does not count
   * (a cancel, a wrong key) neither adds to the row nor breaks it; as the trial it leaves the breaker open.
   * opossum's own filter would emit `success` for it, which breaks the row and closes.
   */
  #open(scope: string): Circuit {
    const circuit: Circuit = new CircuitBreaker<[Call, Counts], unknown>((call) => call(), {
      timeout: false, // deadlines are signals: what is late is stopped, not only forgotten
      resetTimeout: this.#options.cooldownMs,
      volumeThreshold: Number.MAX_SAFE_INTEGER, // never by percentage
      status: UNREAD,
    });
    let row = 0;
    circuit.on('failure', (error: unknown, _latency: number, args?: unknown) => {
      if ((args as readonly [Call, Counts] | undefined)?.[1](error) === false) return;
      if (++row >= this.#options.failures && circuit.closed) circuit.open();
    });
    circuit.on('success', () => void (row = 0));
    circuit.on('close', () => {
      row = 0;
      this.onChange(scope, 'closed');
    });
    circuit.on('open', () => this.onChange(scope, 'open'));
    circuit.on('halfOpen', () => this.onChange(scope, 'half-open'));
    return circuit;
  }
}
