import type { Observable } from 'rxjs';
import { checkOptions, checkSend, usageFault } from './arguments.js';
import { TaskQueue, type PressureEvent } from '../pressure/index.js';
import type { Reading, Usage } from '../tokens/index.js';
import type { Message, Projection, ReadonlyLog } from '../transcript/index.js';
import type { Flight } from './call-line.js';
import type { Compared, Followed, FollowOptions } from './client/follow.js';
import { SessionOperator } from './operator/session-operator.js';
import type { Prepared } from './prepared.js';
import type { OverflowVerdict } from './reaction.js';
import type { Recalled, RecallRequest } from './recall/index.js';
import type { PrepareOptions } from './requests.js';
import type { Pieces } from './wiring.js';

/**
 * The log, view and ledger of one agent path, with the methods that an agent calls; an operator uses `operator`.
 * `ClientMessage` is the client's own type of a message, so that the result of `prepare` needs no conversion:
 * `spillway.session<OpenAI.ChatCompletionMessageParam>()`. No value is checked against it.
 */
export class Session<ClientMessage = unknown> {
  readonly id: string;
  readonly agentPath: string;
  /** Name of the wire format of its requests. */
  readonly format: string;
  /** History, plans, undo, costs and explanations, for an operator and not for the agent. */
  readonly operator: SessionOperator;

  readonly #pieces: Pieces;
  readonly #prepares = new TaskQueue();
  readonly #openAside: () => Session<ClientMessage>;

  /**
   * `openAside` makes a session with the same settings on an agent path below this one.
   * @hidden `spillway.session` and `spillway.open` make them.
   */
  constructor(pieces: Pieces, openAside: () => Session<ClientMessage>) {
    this.id = pieces.key.sessionId;
    this.agentPath = pieces.key.agentPath;
    this.format = pieces.format.name;
    this.operator = new SessionOperator(pieces);
    this.#pieces = pieces;
    this.#openAside = openAside;
  }

  get log(): ReadonlyLog {
    return this.#pieces.thread.log;
  }

  /** Readings, firings, short-circuits, no-ops and failures. Hot; a listener can only observe. */
  get events(): Observable<PressureEvent> {
    return this.#pieces.stream.events;
  }

  get reading(): Reading {
    return this.#pieces.gauge.read(this.#pieces.thread.projection);
  }

  /** The messages that would be sent now. Valid until the session changes. */
  get view(): Projection['view'] {
    return this.#pieces.thread.projection.view;
  }

  /**
   * Adds messages to the log and measures each of them once. While a compaction waits for text, they are added right
   * after it, in order. Throws `MESSAGE_INVALID` and `MESSAGE_ID_TAKEN` before any is added. Resolves when they are
   * stored. Rejects with `STORE_FAILED`; then the next call of any method stores them, or appending them again does.
   */
  append(...messages: readonly Message[]): Promise<void> {
    return this.#pieces.inbox.append(...messages);
  }

  /**
   * Returns the request for the next call, and compacts first if the pressure requires it. Rejects with
   * `BUDGET_UNREACHABLE` if the floor does not fit, without committing a run, and with `COMPACTION_PENDING` if an
   * operator is asked first. Aborting the signal ends the wait for text: the compaction goes on without the rest of it.
   */
  async prepare(options: PrepareOptions = {}): Promise<Prepared<ClientMessage>> {
    checkOptions('session.prepare', options);
    const { gauge, requests, runs, timer } = this.#pieces;
    const started = timer();
    // One at a time: concurrent requests may go to other models, and ask for other sizes of answers.
    return this.#prepares.do(async () => {
      if (options.model !== undefined) gauge.talkTo(options.model);
      gauge.askFor(options.maxOutputTokens);
      const injected = requests.injections(options.inject ?? []);
      await this.#pieces.giveBack.put();
      for (;;) {
        const run = await runs.beforeCall(requests.movedFrom(injected), options.signal);
        await this.#pieces.loopEnd.put();
        await this.#pieces.automatic.put(run);
        if (!runs.isOvertaken) return requests.write(run, injected, started) as Prepared<ClientMessage>;
      }
    });
  }

  /**
   * Tells the agent to go on if it has next steps, as `compaction.continue: on` does automatically. Adds nothing if a
   * tool of the provider has no result yet (`pause_turn`), because that turn continues unchanged.
   */
  continue(): Promise<void> {
    return this.#pieces.inbox.askToContinue();
  }

  /**
   * Takes in the usage that the provider reported for the newest request, and calibrates the scale of readings. If the
   * usage was more than the model takes, the next `prepare` compacts at any reading. Nothing is learned if
   * the view was rewritten since, because the report is of a request that would no longer be sent. Resolves when the
   * usage is stored. Rejects with `ARGUMENT_INVALID`, and learns nothing, if a figure is not a count.
   */
  observe(usage: Usage): Promise<void> {
    const fault = usageFault(usage);
    if (fault) return Promise.reject(fault);
    this.#pieces.reaction.onAccepted();
    return this.#pieces.reports.observe(usage); // not wrapped: the rejection of a second promise would be unhandled
  }

  /**
   * Takes in the error of a refused call or a full window: decides whether it is an overflow, learns the limit that the
   * error names, compacts, and returns whether to try again. If a signature on reasoning was refused, all signed
   * reasoning is removed. Only the first refusal in a row is tried again, and only if the view got smaller. Keep the
   * error out of the history. Aborting the signal ends waits.
   */
  async overflowed(error: unknown, signal?: AbortSignal): Promise<OverflowVerdict> {
    checkOptions('session.overflowed', { signal });
    return this.#pieces.reaction.handle(error, signal);
  }

  /**
   * Prepares a request and passes it to `send`. If the provider refuses it as too long, compacts and sends once more;
   * if it refuses a signature on reasoning, sends once more without the reasoning. Rejects with the error of `send`.
   * Calls run one at a time: the next call, or a compaction requested meanwhile, waits until `send` is done and the
   * promise given to `flight.until` is settled (its stream was read to the end). Requested within `send` they would
   * wait forever, so they reject with `CALL_WITHIN_CALL`; `send` makes further requests with `flight.again`.
   */
  call<Answer>(
    send: (request: Prepared<ClientMessage>, flight: Flight<ClientMessage>) => Answer | Promise<Answer>,
    options: PrepareOptions = {},
  ): Promise<Answer> {
    return this.turn((flight) => {
      checkSend(send);
      return flight.again((request) => send(request, flight), options);
    });
  }

  /** Runs a task when all earlier calls are over. It makes its requests with the flight; `call` makes a single one. */
  turn<T>(task: (flight: Flight<ClientMessage>) => Promise<T>): Promise<T> {
    const flight: Flight<ClientMessage> = {
      until: (settled) => this.#pieces.line.hold(settled),
      again: (send, options = {}) => this.#callNow(send, options),
    };
    return this.#pieces.line.next(() => task(flight));
  }

  async #callNow<Answer>(
    send: (request: Prepared<ClientMessage>) => Answer | Promise<Answer>,
    options: PrepareOptions,
  ): Promise<Answer> {
    const { reaction } = this.#pieces;
    // One retry for the length and one for a signature: an imported history may be refused for both.
    const mended = new Set<boolean>();
    for (;;) {
      const again = mended.size > 0;
      const request = await (again ? reaction.repair(() => this.prepare(options)) : this.prepare(options));
      try {
        return await this.#pieces.line.send(() => send(request));
      } catch (error) {
        const verdict = await reaction.repair(() => this.overflowed(error, options.signal));
        if (!verdict.retry || mended.has(verdict.overflow)) throw error;
        mended.add(verdict.overflow);
      }
    }
  }

  /**
   * Appends the new messages of a request body that holds the client's whole history. If the client went back or
   * changed earlier messages, the log is rolled back to that point, with a notice and an event. Instructions at the
   * head may change freely; the newest are sent. The next `prepare` returns the request. Rejects with `INPUT_FORMAT`.
   */
  follow(body: unknown, options: FollowOptions = {}): Promise<Followed> {
    return this.#pieces.client.follow(body, options);
  }

  /** Whether a body, without instructions, begins differently from this session: a title request, a side question. */
  isStranger(body: unknown): Promise<boolean> {
    return this.#pieces.client.isStranger(body);
  }

  /** Whether a body is another conversation, even with the same beginning, and what is new in it. Changes nothing. */
  compare(body: unknown, options: FollowOptions = {}): Promise<Compared> {
    return this.#pieces.client.compare(body, options);
  }

  /**
   * Adds an exchange that was answered on behalf of the client. The client does not know it, and its history still
   * matches the log. `body`: in the session's wire format.
   */
  appendHidden(body: unknown): Promise<void> {
    return this.#pieces.client.appendHidden(body);
  }

  /** A session for a side conversation, which ends with the process. Limits that refusals teach hold for both. */
  aside(): Session<ClientMessage> {
    const aside = this.#openAside();
    aside.events.subscribe((event) => this.#pieces.reaction.onSideEvent(event));
    return aside;
  }

  /**
   * Returns a request body with all trimming by the host switched off (`withoutHostTrimming`). The audit records once
   * what was switched off. The drop-ins pass every request through this method.
   */
  untrimmed<Body extends object>(body: Body): Body {
    return this.#pieces.client.untrimmed(body);
  }

  /** Reads back original words from the log, superseded or not: by handle, or by search with the best matches first. */
  async recall(request: RecallRequest): Promise<readonly Recalled[]> {
    const { recall, stream, timer } = this.#pieces;
    const started = timer();
    const found = await recall.find(request);
    stream.emitToEngine({ kind: 'recalled', pieces: found.length, durationMs: timer() - started });
    return found;
  }

  /** Reads what other processes stored of the session since, and the calls of all processes. */
  async load(): Promise<this> {
    await this.#pieces.requests.load();
    return this;
  }

  /** Whether an error means that the store is unavailable and calls go on without it (`onStoreFailure: open`). */
  goesOnWithout(error: unknown): boolean {
    return this.#pieces.persistence.goesOnWithout(error);
  }

  /** Tells listeners of a store failure that no caller waits for. The unsaved data waits for the next write. */
  storeFailed(error: unknown): void {
    this.#pieces.stream.emit({ kind: 'store-failed', error });
  }
}
