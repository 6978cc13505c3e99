import { distinctUntilChanged, filter, map, scan, share, skip, startWith, Subject } from 'rxjs';
import type { Observable } from 'rxjs';
import type { Trigger } from '../transcript/index.js';
import type { PressureEvent } from './events.js';
import { dueAt, highestGate, type Sighting, type Spent } from './gates.js';
import { EventHub } from './hub.js';
import { TaskQueue } from './queue.js';

/** What goes in: what a call sees, with what is to be done where that fires; and what a run left. */
type Input = Seen | { readonly left: Spent | undefined };

interface Seen {
  readonly seen: Sighting;
  readonly fire: (due: Trigger) => void;
}

/** What the last run left, and what is seen now; no more than the first where nothing is. */
interface State extends Partial<Seen> {
  readonly spent: Spent | undefined;
  /** Why a run is due. */
  readonly due?: Trigger | undefined;
}

/** Hysteresis: a run that did not help disarms the gates, until enough has come in. */
const step = ({ spent }: State, input: Input): State =>
  'left' in input ? { spent: input.left } : { spent, ...input, due: dueAt(spent, input.seen) };

type Emit = (event: PressureEvent) => void;

/**
 * The pressure of one agent path. Readings go in. Gates, and what the last run left, say which of them fires. What is
 * submitted is done one after the other, and what happens comes out as events.
 */
export class PressureStream {
  readonly #queue = new TaskQueue();
  readonly #inputs = new Subject<Input>();
  readonly #hub = new EventHub<PressureEvent>((error) => ({ kind: 'listener-failed', error }));
  readonly #onEvent: Emit | undefined;
  #spent: Spent | undefined;

  /** `onEvent` hears of everything as well, before the subscribers. */
  constructor(onEvent?: Emit) {
    this.#onEvent = onEvent;
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

  /** Everything that happens, in order. Hot: nothing is replayed to late subscribers. */
  get events(): Observable<PressureEvent> {
    return this.#hub.events;
  }

  /** What the last run left undone; undefined where nothing keeps the gates from firing. */
  get spent(): Spent | undefined {
    return this.#spent;
  }

  /** A run is over, or another process made one: this is what it left. */
  left(spent: Spent | undefined): void {
    this.#inputs.next({ left: spent });
  }

  /** Why this would fire; undefined where it would not. Nothing goes in. */
  wouldFire(seen: Sighting): Trigger | undefined {
    return dueAt(this.#spent, seen);
  }

  /** A reading goes in. Where it fires, this is done, and its answer given back; undefined where it does not. */
  see<T>(seen: Sighting, run: (due: Trigger) => T): T | undefined {
    let firing: Trigger | undefined;
    this.#inputs.next({ seen, fire: (due) => (firing = due) });
    return firing && run(firing);
  }

  /** Does this when all that was submitted before is done. What it throws is an event too, and never ends the stream. */
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

  /** Says that something happened, in a run or outside one. */
  emit(event: PressureEvent): void {
    this.#onEvent?.(event);
    this.#hub.emit(event);
  }

  /** Says it to whoever hears of the whole engine, and not to subscribers of this path, who asked for the call themselves. */
  tellEngine(event: PressureEvent): void {
    this.#onEvent?.(event);
  }
}
