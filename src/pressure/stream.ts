import {
  concatMap,
  distinctUntilChanged,
  filter,
  map,
  Observable,
  scan,
  share,
  skip,
  startWith,
  Subject,
  Subscriber,
  type Observer,
  type Operator,
  type Subscription,
} from 'rxjs';
import type { Trigger } from '../transcript/index.js';
import type { PressureEvent } from './events.js';
import { dueAt, highestGate, type Sighting, type Spent } from './gates.js';

/** Hot events that anyone may listen to. A listener that throws is told of in an event of its own, once. */
export class EventHub<Event> {
  readonly #subject = new Subject<Event>();
  readonly #safe: SafeEvents<Event>;
  readonly #failed: (error: unknown, at: Event) => Event;
  #newest: Event | undefined;
  #hasFailed = false;

  /** `failed` makes the event that says a listener threw; `at` is the newest event before it. */
  constructor(failed: (error: unknown, at: Event) => Event) {
    this.#failed = failed;
    this.#safe = new SafeEvents<Event>(
      (error) => this.#listenerFailed(error),
      (subscriber) => this.#subject.subscribe(subscriber),
    );
  }

  /** Nothing is replayed to late subscribers. */
  get events(): Observable<Event> {
    return this.#safe;
  }

  /** Whether anybody listens: what nobody hears need not be made. */
  get isHeard(): boolean {
    return this.#subject.observed;
  }

  emit(event: Event): void {
    this.#newest = event;
    this.#subject.next(event);
  }

  /** Behind the event that it failed at, so that all hear both in order. Once, or a bad one would be told of for ever. */
  #listenerFailed(error: unknown): void {
    const at = this.#newest;
    if (this.#hasFailed || at === undefined) return;
    this.#hasFailed = true;
    queueMicrotask(() => this.emit(this.#failed(error, at)));
  }
}

type Next<Event> = (event: Event) => unknown;

/**
 * Events that anyone may listen to without harm: what a listener throws or rejects with, in an operator or at the end
 * of a pipe, is reported and goes no further. rxjs alone would throw it on a timer, which ends the process.
 */
class SafeEvents<Event> extends Observable<Event> {
  readonly #report: (error: unknown) => void;

  constructor(
    report: (error: unknown) => void,
    subscribe?: (subscriber: Subscriber<Event>) => Subscription | void,
  ) {
    super(subscribe);
    this.#report = report;
  }

  /** Operators are applied through this: what comes out of a pipe is listened to as safely. */
  override lift<Result>(operator?: Operator<Event, Result>): Observable<Result> {
    const lifted = new SafeEvents<Result>(this.#report);
    lifted.source = this;
    lifted.operator = operator;
    return lifted;
  }

  override subscribe(observer?: Partial<Observer<Event>> | Next<Event> | null): Subscription;
  override subscribe(
    next?: Next<Event> | null,
    error?: ((error: unknown) => void) | null,
    complete?: (() => void) | null,
  ): Subscription;
  override subscribe(
    observer?: Partial<Observer<Event>> | Next<Event> | null,
    error?: ((error: unknown) => void) | null,
    complete?: (() => void) | null,
  ): Subscription {
    // An operator of rxjs: it hands errors on to the end of the pipe.
    if (observer instanceof Subscriber) return super.subscribe(observer);
    const told = typeof observer === 'object' && observer !== null ? observer : undefined;
    const next = typeof observer === 'function' ? observer : told?.next?.bind(told);
    const failed = error ?? told?.error?.bind(told) ?? this.#report;
    const ended = complete ?? told?.complete?.bind(told);
    return super.subscribe({
      next: (event) => this.#safely(() => next?.(event)),
      error: (thrown: unknown) => this.#safely(() => failed(thrown)),
      complete: () => this.#safely(() => ended?.()),
    });
  }

  #safely(tell: () => unknown): void {
    try {
      const told = tell();
      if (told instanceof Promise) told.catch((error: unknown) => this.#report(error));
    } catch (error) {
      this.#report(error);
    }
  }
}

/** Does one thing after the other, in the order they were asked for; each begins in a microtask of its own. */
export class SerialQueue {
  readonly #tasks = new Subject<() => Promise<void>>();

  constructor() {
    this.#tasks.pipe(concatMap((task) => task())).subscribe();
  }

  /** Does this when all that was asked for before is done. What it throws goes to who asked, and the next one is done. */
  do<T>(task: () => T | Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#tasks.next(() => Promise.resolve().then(task).then(resolve, reject));
    });
  }

  /** Resolves when all that was asked for by now is done. */
  done(): Promise<void> {
    return this.do(() => undefined);
  }
}

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
  readonly #queue = new SerialQueue();
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
