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
 * One agent path's log, what is sent of it, and what was compacted: what an agent calls; an operator's side is `operator`.
 * `ClientMessage` is one message in the client's own types, so that what `prepare` gives goes to the client as it is:
 * `spillway.session<OpenAI.ChatCompletionMessageParam>()`. No value is checked against it.
 */
export class Session<ClientMessage = unknown> {
  readonly id: string;
  readonly agentPath: string;
  /** Name of the wire format that its requests are read and written in. */
  readonly format: string;
  /** History, plans, undo, costs, explanations: what an operator asks for, and the agent does not. */
  readonly operator: SessionOperator;

  readonly #of: Pieces;
  readonly #prepares = new TaskQueue();
  readonly #openAside: () => Session<ClientMessage>;

  /**
   * `openAside` makes a session of these settings under a path below this one's.
   * @hidden `spillway.session` and `spillway.open` make them.
   */
  constructor(of: Pieces, openAside: () => Session<ClientMessage>) {
    this.id = of.key.sessionId;
    this.agentPath = of.key.agentPath;
    this.format = of.format.name;
    this.operator = new SessionOperator(of);
    this.#of = of;
    this.#openAside = openAside;
  }

  get log(): ReadonlyLog {
    return this.#of.thread.log;
  }

  /** Readings, firings, short-circuits, no-ops, failures: hot, and for listening only. */
  get events(): Observable<PressureEvent> {
    return this.#of.stream.events;
  }

  get reading(): Reading {
    return this.#of.gauge.read(this.#of.thread.projection);
  }

  /** What would be sent now, message by message. Valid until the session changes. */
  get view(): Projection['view'] {
    return this.#of.thread.projection.view;
  }

  /**
   * Adds messages to the log; each is measured once, here. While a compaction waits for text they are taken in right
   * after it, in order. Throws `MESSAGE_INVALID` before any is added, and `MESSAGE_ID_TAKEN`. Resolves when they are
   * stored; rejects with `STORE_FAILED`, and then the next call of anything stores them; so does appending them again.
   */
  append(...messages: readonly Message[]): Promise<void> {
    return this.#of.inbox.append(...messages);
  }

  /**
   * The request for the next call: compacts first where pressure says so. Rejects with `BUDGET_UNREACHABLE` where what
   * may not be removed does not fit, no run being committed then, and with `COMPACTION_PENDING` where an operator is
   * asked first. Aborting the signal stops the waiting for text: the compaction goes on with what there is.
   */
  async prepare(options: PrepareOptions = {}): Promise<Prepared<ClientMessage>> {
    checkOptions('session.prepare', options);
    const { gauge, requests, runs, timer } = this.#of;
    const started = timer();
    // One at a time: others that are asked for meanwhile may go to other models, and let them answer more.
    return this.#prepares.do(async () => {
      if (options.model !== undefined) gauge.talkTo(options.model);
      gauge.askFor(options.maxOutputTokens);
      const injected = requests.injections(options.inject ?? []);
      await this.#of.giveBack.put();
      for (;;) {
        const run = await runs.beforeCall(requests.movedFrom(injected), options.signal);
        await this.#of.loopEnd.put();
        await this.#of.automatic.put(run);
        if (!runs.isOvertaken) return requests.write(run, injected, started) as Prepared<ClientMessage>;
      }
    });
  }

  /**
   * Tells the agent to go on if it has next steps: what `compaction.continue: on` does by itself. Adds nothing where a tool
   * of the provider's has no result yet (`pause_turn`): that turn goes on as it stands.
   */
  continue(): Promise<void> {
    return this.#of.inbox.goOn();
  }

  /**
   * What the provider reported for the newest request: calibrates the scale that readings are on. Where it was more
   * than the model takes, the next `prepare` compacts whatever the reading says. Nothing is learned where the view was
   * rewritten since: what was reported is of a request that would no longer be sent. Resolves when it is stored; rejects
   * with `ARGUMENT_INVALID`, nothing learned, where a figure is none.
   */
  observe(usage: Usage): Promise<void> {
    const fault = usageFault(usage);
    if (fault) return Promise.reject(fault);
    this.#of.reaction.answered();
    return this.#of.reports.observe(usage); // no promise around it: that one's rejection would be unhandled
  }

  /**
   * A call was refused, or the model's window was full: says whether that was an overflow, learns the limit it names,
   * compacts, and says whether to try again. Where a signature on reasoning was refused, all signed reasoning leaves. Once:
   * a second refusal in a row is not tried again, nor one after which nothing could be made smaller. The error belongs in
   * no history. Aborting ends waits.
   */
  async overflowed(error: unknown, signal?: AbortSignal): Promise<OverflowVerdict> {
    checkOptions('session.overflowed', { signal });
    return this.#of.reaction.to(error, signal);
  }

  /**
   * Prepares a request, hands it to `send`, and where the provider says it was too long compacts and sends once more; where
   * a signature on reasoning is refused, it sends once more without the reasoning. Rejects with whatever `send` rejects with.
   * One call at a time: the next one, and a compaction that is asked for meanwhile, wait until `send` is done, and until
   * what it gives to `flight.until` is: its stream read to the end. Asked for by `send` itself they would wait for ever, and
   * reject with `CALL_WITHIN_CALL`: its further requests are `flight.again`.
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

  /** Does this when all calls before it are over; its own go through the flight. What `call` does, with more around it. */
  turn<T>(task: (flight: Flight<ClientMessage>) => Promise<T>): Promise<T> {
    const flight: Flight<ClientMessage> = {
      until: (settled) => this.#of.line.hold(settled),
      again: (send, options = {}) => this.#callNow(send, options),
    };
    return this.#of.line.next(() => task(flight));
  }

  async #callNow<Answer>(
    send: (request: Prepared<ClientMessage>) => Answer | Promise<Answer>,
    options: PrepareOptions,
  ): Promise<Answer> {
    const { reaction } = this.#of;
    // Once for its length, and once for a signature: a history that was brought whole may be refused for both.
    const mended = new Set<boolean>();
    for (;;) {
      const again = mended.size > 0;
      const request = await (again ? reaction.mends(() => this.prepare(options)) : this.prepare(options));
      try {
        return await this.#of.line.sending(() => send(request));
      } catch (error) {
        const verdict = await reaction.mends(() => this.overflowed(error, options.signal));
        if (!verdict.retry || mended.has(verdict.overflow)) throw error;
        mended.add(verdict.overflow);
      }
    }
  }

  /**
   * Takes in what is new in a request body that holds the client's whole history. Where the client went back or
   * changed what it had sent, the log is rolled back to there, with a notice and an event; instructions at the head may
   * change freely, and the newest are sent. The next `prepare` gives the request. Rejects with `INPUT_FORMAT`.
   */
  follow(body: unknown, options: FollowOptions = {}): Promise<Followed> {
    return this.#of.client.follow(body, options);
  }

  /** Whether a body begins otherwise than this session, instructions aside: a title to be found, a side question. */
  isStranger(body: unknown): Promise<boolean> {
    return this.#of.client.isStranger(body);
  }

  /** Whether a body is another conversation, which may begin alike, and what it has that the session does not. Changes nothing. */
  compare(body: unknown, options: FollowOptions = {}): Promise<Compared> {
    return this.#of.client.compare(body, options);
  }

  /**
   * Adds an exchange that was answered in the client's place: the client does not know of it, and its history goes on
   * matching the log. `body`: as the session's format writes it.
   */
  appendHidden(body: unknown): Promise<void> {
    return this.#of.client.appendHidden(body);
  }

  /** A session for a conversation beside this one, as long as the process lives. What refusals teach holds for both. */
  aside(): Session<ClientMessage> {
    const aside = this.#openAside();
    aside.events.subscribe((event) => this.#of.reaction.toldBeside(event));
    return aside;
  }

  /**
   * A request body with all trimming by the host switched off (`withoutHostTrimming`); what was goes into the audit, once.
   * The drop-ins hand every request through it.
   */
  untrimmed<Body extends object>(body: Body): Body {
    return this.#of.client.untrimmed(body);
  }

  /** Reads back the original words of anything in the log, superseded or not: by handle, or best matches first. */
  async recall(request: RecallRequest): Promise<readonly Recalled[]> {
    const { recall, stream, timer } = this.#of;
    const started = timer();
    const found = await recall.find(request);
    stream.tellEngine({ kind: 'recalled', pieces: found.length, durationMs: timer() - started });
    return found;
  }

  /** Takes in what others stored of the session since, and the calls of all processes. */
  async load(): Promise<this> {
    await this.#of.requests.load();
    return this;
  }

  /** Whether an error is a store that is away, and calls are to go on without it (`onStoreFailure: open`). */
  goesOnWithout(error: unknown): boolean {
    return this.#of.persistence.goesOnWithout(error);
  }

  /** Tells listeners that a store failed where nothing waits for it; what was to be stored waits for the next write. */
  storeFailed(error: unknown): void {
    this.#of.stream.emit({ kind: 'store-failed', error });
  }
}
