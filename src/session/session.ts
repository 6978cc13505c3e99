import type { Observable } from 'rxjs';
import type { Emit, PressureEvent } from '../pressure/index.js';
import type { Claim } from '../reading/index.js';
import type { BreakerState } from '../summarizers/index.js';
import type { Reading, Usage } from '../tokens/index.js';
import { checkMessage, type Message, type Projection } from '../transcript/index.js';
import type { CallRecord } from './calls.js';
import type { Costs } from './costs.js';
import type { Followed } from './client/follow.js';
import { CallLine, type Flight } from './call-line.js';
import { ClientSide, type FollowOptions } from './client/client-side.js';
import { OperatedSession } from './operator/operated.js';
import { ownMessage } from './own-message.js';
import type { Prepared, RunReport } from './prepared.js';
import { continueMessage, continuesAfter, markerMessage } from './queue.js';
import { Reaction, type OverflowVerdict } from './reaction.js';
import { Requests, type PrepareOptions } from './requests.js';
import { respondNow, respondToPressure, wouldAct, type Response } from './respond.js';
import { checkIds, takeIn, type SessionParts } from './state.js';
import type { OpenedThread } from './kept/thread.js';
import { UsageReports } from './usage-reports.js';

/** Rounds of one `prepare` in which messages that arrived meanwhile are compacted with text that is bought for them. */
const MOST_ROUNDS_WITH_TEXT = 3;

/** One agent path's log, what is sent of it, and what was compacted. The boundary an agent talks to. */
export class Session extends OperatedSession {
  readonly #requests: Requests;
  readonly #reaction: Reaction;
  readonly #line = new CallLine();
  readonly #client: ClientSide;
  readonly #reports: UsageReports;

  /**
   * `opened`: where it is kept; without it the session lives as long as the process.
   * @hidden `spillway.session` and `spillway.open` make them.
   */
  constructor(parts: SessionParts, opened?: OpenedThread) {
    super(parts, opened);
    this.#requests = new Requests(parts, opened?.calls);
    this.#reaction = new Reaction(parts, this.state, this.keeping, (event) => parts.stream.emit(event));
    this.#reports = new UsageReports({
      state: this.state,
      parts,
      keeping: this.keeping,
      requests: this.#requests,
      queue: () => void this.queue({ auto: true }),
    });
    this.#client = new ClientSide(this.state, parts, {
      append: (messages) => this.#appendAll(messages),
      load: () => this.load(),
      afterRuns: async (change) => {
        await this.#respond(async () => {
          await this.keeping.changeStored(change);
          return { kind: 'noop', reason: 'the client went back', stages: [], durationMs: 0 };
        });
      },
    });
  }

  /** Readings, firings, short-circuits, no-ops, failures: hot, and for listening only. */
  get events(): Observable<PressureEvent<Reading>> {
    return this.parts.stream.events;
  }

  /**
   * What the log says that may not be forgotten: rules, demands, decisions, steps, failures, checks, instructions, each
   * with where it stands and whether it still holds. Read from the log alone.
   */
  get claims(): readonly Claim[] {
    const { statements } = this.state;
    statements.catchUp();
    return statements.claims;
  }

  get reading(): Reading {
    return this.parts.gauge.read(this.state.projection);
  }

  /** What would be sent now, message by message. Valid until the session changes. */
  get view(): Projection['view'] {
    return this.state.projection.view;
  }

  /** What the agent's own calls cost as they were observed, and what its compaction did. */
  get costs(): Costs {
    return this.parts.costs.totals;
  }

  /** State of the breaker around each summarizer's endpoint; empty before the first call. */
  get breakers(): Readonly<Record<string, BreakerState>> {
    return this.parts.filler?.breakers ?? {};
  }

  /** Requests that were prepared, newest last: since the session was opened, and after `load` all that were observed. */
  get calls(): readonly CallRecord[] {
    return this.#requests.calls;
  }

  /** As far as they were stored. */
  protected override takePast(calls: readonly CallRecord[]): void {
    this.#requests.takePast(calls);
  }

  /**
   * Adds messages to the log; each is measured once, here. While a compaction waits for text they are taken in right
   * after it, in order. Throws `MESSAGE_INVALID` before any is added, and `MESSAGE_ID_TAKEN`. Resolves when they are
   * stored; rejects with `STORE_FAILED`, and then the next call of anything stores them; so does appending them again.
   */
  append(...messages: readonly Message[]): Promise<void> {
    messages.forEach(checkMessage);
    return this.#appendAll(messages.map((message) => ownMessage(message, this.parts.copyInstance)));
  }

  /** Not as arguments: a client's whole history can be more of them than a call takes. */
  #appendAll(messages: readonly Message[]): Promise<void> {
    const fresh = messages.filter((message) => !this.keeping.isWaiting(message));
    checkIds(fresh, this.state);
    for (const message of fresh) takeIn(message, this.state, this.parts);
    return this.keeping.stored(messages.map(({ id }) => id));
  }

  /**
   * The request for the next call: compacts first where pressure says so. Rejects with `BUDGET_UNREACHABLE` where what
   * may not be removed does not fit, log and ledger being as before, and with `COMPACTION_PENDING` where an operator is
   * asked first. Aborting the signal stops the waiting for text: the compaction goes on with what there is.
   */
  async prepare(options: PrepareOptions = {}): Promise<Prepared> {
    if (options.model !== undefined) this.parts.gauge.talkTo(options.model);
    this.parts.gauge.askFor(options.maxOutputTokens);
    const injected = this.#requests.injections(options.inject ?? []);
    const run = await this.#respondUntilMeasured(options.signal);
    return this.#requests.write(this.state, run, injected);
  }

  /** Answers pressure until nothing has come in that was not measured: what is written next is what was read. */
  async #respondUntilMeasured(signal: AbortSignal | undefined): Promise<RunReport> {
    let report: RunReport | undefined;
    for (let round = 0; ; round++) {
      let measured = 0;
      // Somebody who keeps on talking must not have every round wait for text.
      const patience = round < MOST_ROUNDS_WITH_TEXT ? signal : AbortSignal.abort();
      const run = await this.#respond((emit) =>
        this.keeping.during(
          () => {
            measured = this.state.appendedTokens;
            return respondToPressure(this.state, this.parts, emit, patience);
          },
          () => wouldAct(this.state, this.parts),
        ),
      );
      if (run.error) throw run.error;
      const goesOn = await this.#continueAfter(run);
      if (!report || run.kind === 'committed') report = goesOn ? { ...run, continue: goesOn } : run;
      if (this.state.appendedTokens === measured || !wouldAct(this.state, this.parts)) return report;
    }
  }

  /** Compacts now, whatever the gates say, down to `target` (a pressure; the policy's own where absent). */
  compact(options: { readonly target?: number; readonly signal?: AbortSignal } = {}): Promise<RunReport> {
    const { target = this.parts.policy.target, signal } = options;
    const trigger = { kind: 'manual', detail: `asked for pressure ${target}` } as const;
    if (this.#line.isBusy) return this.#line.idle().then(() => this.compact(options));
    return this.#respond((emit) =>
      this.keeping.during(() =>
        respondNow(this.state, this.parts, emit, trigger, { target, forced: true, signal }),
      ),
    );
  }

  /**
   * Queues a compaction as a marker in the log: the next `prepare` executes it, also after a restart. `auto`: the host's
   * own doing, after which the agent may be told to go on; an operator's is not.
   */
  queue({ auto = false }: { readonly auto?: boolean } = {}): Promise<void> {
    const { clock } = this.parts;
    return this.append(markerMessage(`compaction:${this.log.length}:${clock()}`, auto, clock()));
  }

  /** Tells the agent to go on if it has next steps: what `compaction.continue: on` does by itself. */
  continue(): Promise<void> {
    const { clock } = this.parts;
    return this.append(continueMessage(`continue:${this.log.length}:${clock()}`, clock()));
  }

  async #continueAfter(run: RunReport): Promise<RunReport['continue']> {
    const how = continuesAfter(run, this.parts.continues, this.state);
    if (how === 'told') await this.continue();
    return how;
  }

  /**
   * What the provider reported for the newest request: calibrates the scale that readings are on. Where it was more
   * than the model takes, the next `prepare` compacts whatever the reading says. Nothing is learned where the view was
   * rewritten since: what was reported is of a request that would no longer be sent. Resolves when it is stored.
   */
  observe(usage: Usage): Promise<void> {
    this.#reaction.answered();
    return this.#reports.observe(usage);
  }

  /**
   * A call was refused, or ended because the model's window was full: says whether that was an overflow, learns the
   * limit it names, compacts, and says whether to try again. Once: a second refusal in a row is not tried again, and
   * neither is one after which nothing could be made smaller. The error belongs in no history.
   */
  overflowed(error: unknown): Promise<OverflowVerdict> {
    return this.#reaction.to(error, this.#requests.sent, (trigger, target) =>
      this.#respond((emit) =>
        this.keeping.during(() =>
          respondNow(this.state, this.parts, emit, trigger, { target, forced: true }),
        ),
      ),
    );
  }

  /**
   * Prepares a request, hands it to `send`, and where the provider says it was too long compacts and sends once more.
   * Rejects with whatever `send` rejects with. One call at a time: the next one, and a compaction that is asked for
   * meanwhile, wait until `send` is done, and until what it gives to `flight.until` is: its stream read to the end.
   */
  call<Answer>(
    send: (request: Prepared, flight: Flight) => Answer | Promise<Answer>,
    options: PrepareOptions = {},
  ): Promise<Answer> {
    return this.turn((flight) => flight.again((request) => send(request, flight), options));
  }

  /** Does this when all calls before it are over; its own go through the flight. What `call` does, with more around it. */
  turn<T>(task: (flight: Flight) => Promise<T>): Promise<T> {
    const flight: Flight = {
      until: (settled) => this.#line.hold(settled),
      again: (send, options = {}) => this.#callNow(send, options),
    };
    return this.#line.next(() => task(flight));
  }

  async #callNow<Answer>(
    send: (request: Prepared) => Answer | Promise<Answer>,
    options: PrepareOptions,
  ): Promise<Answer> {
    for (let isSecond = false; ; isSecond = true) {
      const request = await this.prepare(options);
      try {
        return await this.#line.sending(() => send(request));
      } catch (error) {
        const { retry } = await this.overflowed(error);
        if (!retry || isSecond) throw error;
      }
    }
  }

  /**
   * Takes in what is new in a request body that holds the client's whole history. Where the client went back or
   * changed what it had sent, the log is rolled back to there, with a notice and an event; instructions at the head may
   * change freely, and the newest are sent. The next `prepare` gives the request. Rejects with `INPUT_FORMAT`.
   */
  follow(body: unknown, options: FollowOptions = {}): Promise<Followed> {
    return this.#client.follow(body, options);
  }

  /**
   * Whether a request body holds another conversation than this session, instructions aside: a title that is to be
   * found, a side question. Following it would roll the log back to its beginning.
   */
  isStranger(body: unknown): Promise<boolean> {
    return this.#client.isStranger(body);
  }

  /**
   * Adds an exchange that was answered in the client's place: the client does not know of it, and its history goes on
   * matching the log. `body`: as the session's format writes it.
   */
  appendHidden(body: unknown): Promise<void> {
    return this.#client.appendHidden(body);
  }

  /** A session for a conversation beside this one, on a path of its own; it lives as long as the process. */
  aside(): Session {
    return this.parts.aside();
  }

  /**
   * A request body with all trimming by the host switched off (`withoutHostTrimming`); what was goes into the audit, once.
   * The drop-ins hand every request through it.
   */
  untrimmed<Body extends object>(body: Body): Body {
    return this.#client.untrimmed(body);
  }

  async #respond(respond: (emit: Emit<Reading>) => Response): Promise<RunReport> {
    const settled = await this.parts.stream.submit(respond);
    if (!settled.ok) throw settled.error;
    return settled.outcome;
  }
}
