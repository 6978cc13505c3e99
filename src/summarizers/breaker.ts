import CircuitBreaker from 'opossum';

/** `open`: nothing is asked until the cooldown is over; `half-open`: then one call is tried. */
export type BreakerState = 'closed' | 'open' | 'half-open';

interface BreakerOptions {
  /** Consecutive failures that open it. */
  readonly failures: number;
  readonly cooldownMs: number;
  readonly onChange?: (state: BreakerState) => void;
}

/** What a call says when the breaker does not let it through. */
export class BreakerOpen extends Error {
  constructor() {
    super('the breaker is open');
    this.name = 'BreakerOpen';
  }
}

/** Guards one endpoint: after so many failures in a row nothing calls it until the cooldown is over; then one trial decides. */
interface Breaker {
  readonly state: BreakerState;
  /** Runs a call, or rejects with `BreakerOpen`. `counts` says of an error whether it was the endpoint's. */
  run<Result>(call: () => Promise<Result>, counts: (error: unknown) => boolean): Promise<Result>;
}

type Call = () => Promise<unknown>;
type Counts = (error: unknown) => boolean;

/**
 * opossum counts percentages in a window; this opens it after exactly `failures` in a row. An error that does not count
 * (a cancel, a wrong key) neither adds to the row nor breaks it; as the trial it leaves the breaker open.
 * opossum's own filter would emit `success` for it, which breaks the row and closes.
 */
function createBreaker({ failures, cooldownMs, onChange }: BreakerOptions): Breaker {
  const circuit = new CircuitBreaker<[Call, Counts], unknown>((call) => call(), {
    timeout: false, // deadlines are signals: what is late is stopped, not only forgotten
    resetTimeout: cooldownMs,
    volumeThreshold: Number.MAX_SAFE_INTEGER, // never by percentage
  });
  let row = 0;
  circuit.on('failure', (error: unknown, _latency: number, args?: unknown) => {
    const counts = (args as readonly [Call, Counts] | undefined)?.[1];
    if (counts?.(error) === false) return;
    if (++row >= failures && circuit.closed) circuit.open();
  });
  circuit.on('success', () => void (row = 0));
  circuit.on('close', () => {
    row = 0;
    onChange?.('closed');
  });
  circuit.on('open', () => onChange?.('open'));
  circuit.on('halfOpen', () => onChange?.('half-open'));
  return {
    get state() {
      return circuit.opened ? 'open' : circuit.halfOpen ? 'half-open' : 'closed';
    },
    async run(call, counts) {
      // In half-open opossum lets one call through and rejects the others until it settles.
      try {
        return (await circuit.fire(call, counts)) as Awaited<ReturnType<typeof call>>;
      } catch (error) {
        if (CircuitBreaker.isOurError(error as Error)) throw new BreakerOpen();
        throw error;
      }
    },
  };
}

/** The breakers of one agent path, one per endpoint; with scope `stage`, one per endpoint and stage. */
export class Breakers {
  readonly #options: Omit<BreakerOptions, 'onChange'> & { readonly scope: 'pipeline' | 'stage' };
  readonly #breakers = new Map<string, Breaker>();
  /** Told of every change, with the stage it is for (`*`: all of them). */
  onChange: (stage: string, state: BreakerState) => void = () => {};

  constructor(options: Omit<BreakerOptions, 'onChange'> & { readonly scope: 'pipeline' | 'stage' }) {
    this.#options = options;
  }

  for(endpoint: string, stage: string): Breaker {
    const scope = this.#options.scope === 'stage' ? stage : ALL_STAGES;
    const key = `${scope} ${endpoint}`;
    let breaker = this.#breakers.get(key);
    if (!breaker) {
      const { failures, cooldownMs } = this.#options;
      breaker = createBreaker({ failures, cooldownMs, onChange: (state) => this.onChange(scope, state) });
      this.#breakers.set(key, breaker);
    }
    return breaker;
  }

  get states(): Readonly<Record<string, BreakerState>> {
    return Object.fromEntries([...this.#breakers].map(([key, { state }]) => [key, state]));
  }
}

const ALL_STAGES = '*';
