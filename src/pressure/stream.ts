import { distinctUntilChanged, filter, map, scan, share, skip, startWith, Subject } from 'rxjs';
import type { Observable } from 'rxjs';
import type { Trigger } from '../transcript/index.js';
import type { PressureEvent } from './events.js';
import { dueTrigger, highestGate, type GateInputs, type Spent } from './gates.js';
import { EventHub } from './hub.js';
import { TaskQueue } from './queue.js';

/** What goes into the stream: a check of the gates, with the action if they fire, or the state after a run. */
type Input = Check | { readonly spent: Spent | undefined };

interface Check {
  readonly inputs: GateInputs;
  readonly fire: (due: Trigger) => void;
}

/** The state that the last run left and, if there is one, the present check. */
interface State extends Partial<Check> {
  readonly spent: Spent | undefined;
  /** The reason for a run, if one is due. */
  readonly due?: Trigger | undefined;
}

/** Hysteresis: a run that did not help disarms the gates until enough new content has come in. */
const step = ({ spent }: State, input: Input): State =>
  'spent' in input ? { spent: input.spent } : { spent, ...input, due: dueTrigger(spent, input.inputs) };

type Emit = (event: PressureEvent) => void;

/**
 * The pressure of one agent path. Readings are the input; the gates and the state after the last run decide which
 * reading fires. Submitted tasks run one after the other, and the output is events.
 */
export class PressureStream {
  readonly #queue = new TaskQueue();
  readonly #inputs = new Subject<Input>();
  readonly #hub = new EventHub<PressureEvent>((error) => ({ kind: 'listener-failed', error }));
  #spent: Spent | undefined;

  /** `onEvent` also gets each event, before the subscribers. */
  constructor(private readonly onEvent?: Emit) {
    const states = this.#inputs.pipe(scan(step, { spent: undefined }), share());
    states.subscribe(({ spent }) => (this.#spent = spent));
    const checks = states.pipe(filter((state): state is State & Check => state.inputs !== undefined));
    checks.subscribe(({ inputs: { reading } }) => this.emit({ kind: 'reading', reading }));
    const crossings = checks.pipe(
      map(({ inputs: { gates, reading } }) => ({
        gate: gates[highestGate(reading.pressure, gates)]?.stage ?? null,
        pressure: reading.pressure,
      })),
      startWith({ gate: null, pressure: 0 }),
      distinctUntilChanged((before, now) => before.gate === now.gate),
      skip(1),
    );
    crossings.subscribe((crossing) => this.emit({ kind: 'crossed', ...crossing }));
    checks.subscribe(({ due, fire }) => due && fire(due));
  }

  /** All events, in order. Hot: late subscribers get no earlier events. */
  get events(): Observable<PressureEvent> {
    return this.#hub.events;
  }

  /** The state that the last run left; undefined if nothing keeps the gates from firing. */
  get spent(): Spent | undefined {
    return this.#spent;
  }

  /** Records the state after a run, of this or of another process. */
  recordSpent(spent: Spent | undefined): void {
    this.#inputs.next({ spent });
  }

  /** The reason for which a gate would fire; undefined if none would. Changes nothing. */
  wouldFire(inputs: GateInputs): Trigger | undefined {
    return dueTrigger(this.#spent, inputs);
  }

  /** Checks the gates. If one fires, calls `run` and returns the result; otherwise undefined. */
  fireIfDue<T>(inputs: GateInputs, run: (due: Trigger) => T): T | undefined {
    let firing: Trigger | undefined;
    this.#inputs.next({ inputs, fire: (due) => (firing = due) });
    return firing && run(firing);
  }

  /** Runs a task after all earlier ones. Its exception is also emitted as an event, and never ends the stream. */
  submit<T>(task: () => T | Promise<T>): Promise<T> {
    return this.#queue.do(async () => {
      try {
        return await task();
      } catch (error) {
        this.emit({ kind: 'failed', error });
        throw error;
      }
    });
  }

  /** Emits an event, inside or outside of a run. */
  emit(event: PressureEvent): void {
    this.onEvent?.(event);
    this.#hub.emit(event);
  }

  /** Emits an event to the listeners of the whole engine only: subscribers of this path made the call themselves. */
  emitToEngine(event: PressureEvent): void {
    this.onEvent?.(event);
  }
}
