import { distinctUntilChanged, filter, map, scan, share, skip, startWith, Subject } from 'rxjs';
import type { Observable } from 'rxjs';
import type { Trigger } from '../transcript/index.js';
import type { PressureEvent } from './events.js';
import { dueAt, highestGate, type Sighting, type Spent } from './gates.js';
import { EventHub } from './hub.js';
import { TaskQueue } from './queue.js';

/** The inputs: a sighting with the action for the case that it fires; or the state that a run left. */
type Input = Seen | { readonly left: Spent | undefined };

interface Seen {
  readonly seen: Sighting;
  readonly fire: (due: Trigger) => void;
}

/** The state that the last run left and, if there is one, the present sighting. */
interface State extends Partial<Seen> {
  readonly spent: Spent | undefined;
  /** The reason for a run, if one is due. */
  readonly due?: Trigger | undefined;
}

/** Hysteresis: a run that did not help disarms the gates until enough new content has come in. */
const step = ({ spent }: State, input: Input): State =>
  'left' in input ? { spent: input.left } : { spent, ...input, due: dueAt(spent, input.seen) };

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
    const sightings = states.pipe(filter((state): state is State & Seen => state.seen !== undefined));
    sightings.subscribe(({ seen: { reading } }) => this.emit({ kind: 'reading', reading }));
    const crossings = sightings.pipe(
      map(({ seen: { gates, reading } }) => ({
        gate: gates[highestGate(reading.pressure, gates)]?.stage ?? null,
        pressure: reading.pressure,
      })),
      startWith({ gate: null, pressure: 0 }),
      distinctUntilChanged((before, now) => before.gate === now.gate),
      skip(1),
    );
    crossings.subscribe((crossing) => this.emit({ kind: 'crossed', ...crossing }));
    sightings.subscribe(({ due, fire }) => due && fire(due));
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
  left(spent: Spent | undefined): void {
    this.#inputs.next({ left: spent });
  }

  /** The reason for which this sighting would fire; undefined if it would not. Changes nothing. */
  wouldFire(seen: Sighting): Trigger | undefined {
    return dueAt(this.#spent, seen);
  }

  /** Takes in a sighting. If it fires, calls `run` and returns the result; otherwise undefined. */
  see<T>(seen: Sighting, run: (due: Trigger) => T): T | undefined {
    let firing: Trigger | undefined;
    this.#inputs.next({ seen, fire: (due) => (firing = due) });
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
  tellEngine(event: PressureEvent): void {
    this.onEvent?.(event);
  }
}
