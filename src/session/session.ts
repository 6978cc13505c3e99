import { isDeepStrictEqual } from 'node:util';
import type { Observable } from 'rxjs';
import type { Claim } from '../outline/index.js';
import type { Emit, PressureEvent } from '../pressure/index.js';
import type { BreakerState } from '../summarizers/index.js';
import { overflowed, type Reading, type Usage } from '../tokens/index.js';
import { checkMessage, type Message, type Projection } from '../transcript/index.js';
import { callEvent, type CallRecord } from './calls.js';
import type { Costs } from './costs.js';
import type { Followed } from './client/follow.js';
import { followedSession } from './client/followed.js';
import { withoutHostTrimming } from './client/host-trimming.js';
import { OperatedSession } from './operator/operated.js';
import { ownMessage } from './own-message.js';
import type { Prepared, RunReport } from './prepared.js';
import { continueMessage, markerMessage, wouldStall } from './queue.js';
import { Reaction, type OverflowVerdict } from './reaction.js';
import { Requests, type PrepareOptions } from './requests.js';
import { respondNow, respondToPressure, wouldAct, type Response } from './respond.js';
import { takeIn, type SessionParts } from './state.js';
import type { OpenedThread } from './kept/thread.js';

/** One agent path's log, what is sent of it, and what was compacted. The boundary an agent talks to. */
export class Session extends OperatedSession {
  readonly #requests: Requests;
  readonly #reaction: Reaction;
  #calling: Promise<unknown> = Promise.resolve();
  #streaming = false;
  /** Fields that asked for trimming by the host, as far as they were told. */
  readonly #switchedOff = new Set<string>();
  /** The newest report that could not be stored, and the call it is of. */
  #unstored: { readonly call: number | undefined; readonly usage: Usage } | undefined;

  /**
   * `opened`: where it is kept; without it the session lives as long as the process.
   * @hidden `spillway.session` and `spillway.open` make them.
   */
  constructor(parts: SessionParts, opened?: OpenedThread) {
    super(parts, opened);
    this.#requests = new Requests(parts, opened?.calls);
    this.#reaction = new Reaction(parts, this.state, this.keeping, (event) => parts.stream.emit(event));
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
    for (const message of messages) {
      if (!this.keeping.isWaiting(message)) takeIn(message, this.state, this.parts);
    }
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
    const run = await this.#respond((emit) =>
      this.keeping.during(
        () => respondToPressure(this.state, this.parts, emit, options.signal),
        () => wouldAct(this.state, this.parts),
      ),
    );
    if (run.error) throw run.error;
    const goesOn = await this.#continueAfter(run);
    return this.#requests.write(this.state, goesOn ? { ...run, continue: goesOn } : run, injected);
  }

  /** Compacts now, whatever the gates say, down to `target` (a pressure; the policy's own where absent). */
  compact(options: { readonly target?: number; readonly signal?: AbortSignal } = {}): Promise<RunReport> {
    const { target = this.parts.policy.target, signal } = options;
    const trigger = { kind: 'manual', detail: `asked for pressure ${target}` } as const;
    if (this.#streaming) return this.#calling.then(() => this.compact(options));
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

  async #continueAfter({ kind, record }: RunReport): Promise<RunReport['continue']> {
    const { continues } = this.parts;
    const isAutomatic = kind === 'committed' && record?.plan.trigger.kind !== 'manual';
    if (continues === 'off' || !isAutomatic || !wouldStall(this.state)) return undefined;
    if (continues === 'ask') return 'ask';
    await this.continue();
    return 'told';
  }

  /**
   * What the provider reported for the newest request: calibrates the scale that readings are on. Where it was more
   * than the model takes, the next `prepare` compacts whatever the reading says. Nothing is learned where the view was
   * rewritten since: what was reported is of a request that would no longer be sent. Resolves when it is stored.
   */
  observe(usage: Usage): Promise<void> {
    const newest = this.#requests.newestCall;
    // Told again because it could not be stored: it waits already, and is known again only until it is stored.
    if (this.#unstored?.call === newest && isDeepStrictEqual(this.#unstored?.usage, usage)) {
      const again = this.keeping.noted([]);
      again.then(
        () => (this.#unstored = undefined),
        () => undefined,
      );
      return again;
    }
    this.parts.costs.addPrimary(usage, this.parts.gauge.model);
    const { reading, call, notices } = this.#requests.observe(usage);
    if (reading && overflowed(usage, reading.budget)) {
      this.state.overflowed = true;
      // Kept sessions find it again after a restart.
      if (this.keeping.journal) void this.queue({ auto: true });
    }
    const stored = this.keeping.journal && (() => this.keeping.stored([]));
    if (reading) this.parts.early.start(this.state, this.parts, stored);
    this.#reaction.answered();
    for (const { what, ...facts } of notices) this.parts.audit.say(what, undefined, facts);
    const noted = this.keeping.noted(call ? [callEvent(call)] : []);
    noted.then(
      () => (this.#unstored = undefined),
      () => (this.#unstored = { call: newest, usage }),
    );
    return noted;
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
   * meanwhile, wait until `send` is done, its stream read to the end.
   */
  async call<Answer>(
    send: (request: Prepared) => Answer | Promise<Answer>,
    options: PrepareOptions = {},
  ): Promise<Answer> {
    const turn = this.#calling.then(() => this.#callNow(send, options));
    this.#calling = turn.catch(() => undefined);
    return turn;
  }

  async #callNow<Answer>(
    send: (request: Prepared) => Answer | Promise<Answer>,
    options: PrepareOptions,
  ): Promise<Answer> {
    for (;;) {
      const request = await this.prepare(options);
      this.#streaming = true;
      try {
        return await send(request);
      } catch (error) {
        if (!(await this.overflowed(error)).retry) throw error;
      } finally {
        this.#streaming = false;
      }
    }
  }

  /**
   * Takes in what is new in a request body that holds the client's whole history. Where the client went back or
   * changed what it had sent, the log is rolled back to there, with a notice; instructions at the head may change
   * freely, and the newest are sent. The next `prepare` gives the request. Rejects with `INPUT_FORMAT`.
   */
  follow(body: unknown): Promise<Followed> {
    return this.parts.follower.follow(body, () =>
      followedSession(this.state, this.parts, {
        append: (messages) => this.#appendAll(messages),
        afterRuns: async (change) => {
          await this.#respond(async () => {
            await this.keeping.changeStored(change);
            return { kind: 'noop', reason: 'the client went back', stages: [], durationMs: 0 };
          });
        },
      }),
    );
  }

  /**
   * A request body with all trimming by the host switched off (`withoutHostTrimming`); what was goes into the audit, once.
   * The drop-ins hand every request through it.
   */
  untrimmed<Body extends object>(body: Body): Body {
    const { body: own, switchedOff } = withoutHostTrimming(body);
    const fresh = switchedOff.filter((field) => !this.#switchedOff.has(field));
    for (const field of fresh) this.#switchedOff.add(field);
    const reason = 'what a host cuts is in no ledger: these fields of the request were switched off';
    if (fresh.length > 0) this.parts.audit.say('trimming-off', undefined, { fields: fresh, reason });
    return own;
  }

  async #respond(respond: (emit: Emit<Reading>) => Response): Promise<RunReport> {
    const settled = await this.parts.stream.submit(respond);
    if (!settled.ok) throw settled.error;
    return settled.outcome;
  }
}
