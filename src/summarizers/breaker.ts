import CircuitBreaker from 'opossum';

/** `open`: no call is made until the cooldown is over; `half-open`: then one trial call is made. */
export type BreakerState = 'closed' | 'open' | 'half-open';

/** The error of a call that the breaker does not let through. */
export class BreakerOpen extends Error {
  override readonly name = 'BreakerOpen';

  constructor() {
    super('the breaker is open');
  }
}

export interface BreakerOptions {
  /** Consecutive failures that open the breaker. */
  readonly failures: number;
  readonly cooldownMs: number;
  /** One breaker for each endpoint, or for each endpoint and stage. */
  readonly scope: 'pipeline' | 'stage';
}

type Call = () => Promise<unknown>;
type IsCounted = (error: unknown) => boolean;
type Circuit = CircuitBreaker<[Call, IsCounted], unknown>;

const ALL_STAGES = '*';

/**
 * The status of all circuits. No circuit opens by opossum's counts, and a window per circuit would run timers for ever,
 * for every thread that ever made a call (10,000 of them took 15 % of a processor). Latencies are not read either.
 */
const UNREAD_STATUS = CircuitBreaker.newStatus({ enableSnapshots: false, rollingPercentilesEnabled: false });

/** One agent path's breakers: after failures in a row no call is made until the cooldown; then a trial call decides. */
export class Breakers {
  readonly #circuits = new Map<string, Circuit>();
  /** Called at every change, with the stage it applies to (`*`: all stages). */
  onChange: (stage: string, state: BreakerState) => void = () => {};

  #options: BreakerOptions;

  constructor(options: BreakerOptions) {
    this.#options = options;
  }

  /** New settings also apply to existing breakers; if the cooldown changes, the breakers start anew. */
  set options(options: BreakerOptions) {
    if (options.cooldownMs !== this.#options.cooldownMs) {
      for (const circuit of this.#circuits.values()) {
        circuit.close();
        // The result of a running call no longer counts.
        circuit.removeAllListeners();
      }
      this.#circuits.clear();
    }
    this.#options = options;
  }

  /** Runs a call, or rejects with `BreakerOpen`. `isCounted` tells whether an error was the endpoint's fault. */
  async run<Result>(
    endpoint: string,
    stage: string,
    call: () => Promise<Result>,
    isCounted: IsCounted,
  ): Promise<Result> {
    const scope = this.#options.scope === 'stage' ? stage : ALL_STAGES;
    const key = `${scope} ${endpoint}`;
    const circuit = this.#circuits.get(key) ?? this.#createCircuit(scope);
    this.#circuits.set(key, circuit);
    try {
      // In half-open opossum lets one call through and rejects the others until that call settles.
      return (await circuit.fire(call, isCounted)) as Result;
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
   * opossum counts percentages in a window; this opens after exactly `failures` consecutive failures. An error that
   * does not count (a cancel, a wrong key) neither adds to them nor resets them; as the trial it leaves the breaker
   * open. opossum's own filter would emit `success` for such an error, which resets and closes.
   */
  #createCircuit(scope: string): Circuit {
    const circuit: Circuit = new CircuitBreaker<[Call, IsCounted], unknown>((call) => call(), {
      timeout: false, // deadlines are signals: a late call is stopped, not only ignored
      resetTimeout: this.#options.cooldownMs,
      volumeThreshold: Number.MAX_SAFE_INTEGER, // never by percentage
      status: UNREAD_STATUS,
    });
    let failuresInRow = 0;
    circuit.on('failure', (error: unknown, _latency: number, args?: unknown) => {
      if ((args as readonly [Call, IsCounted] | undefined)?.[1](error) === false) return;
      if (++failuresInRow >= this.#options.failures && circuit.closed) circuit.open();
    });
    circuit.on('success', () => void (failuresInRow = 0));
    circuit.on('close', () => {
      failuresInRow = 0;
      this.onChange(scope, 'closed');
    });
    circuit.on('open', () => this.onChange(scope, 'open'));
    circuit.on('halfOpen', () => this.onChange(scope, 'half-open'));
    return circuit;
  }
}
