import type { Observable } from 'rxjs';
import { checkOptions, checkSend, usageFault } from './arguments.js';
import { SpillwayError } from '../errors/index.js';
import type { PressureEvent } from '../pressure/index.js';
import type { Reading, Usage } from '../tokens/index.js';
import {
  checkMessage,
  copied,
  NotCopyable,
  type CopyOptions,
  type Message,
  type Projection,
  type ReadonlyLog,
} from '../transcript/index.js';
import type { Followed } from './client/follow.js';
import type { Flight } from './call-line.js';
import type { FollowOptions } from './client/client-side.js';
import { isStoreFailure } from './persistence/persistence.js';
import type { SessionOperator } from './operator/session-operator.js';
import type { Prepared } from './prepared.js';
import { continueMessage } from './own-messages.js';
import type { OverflowVerdict } from './reaction.js';
import type { PrepareOptions } from './requests.js';
import type { Recalled, RecallRequest } from './recall/index.js';
import type { SessionParts } from './session-parts.js';
import { sessionPieces } from './session-pieces.js';
import { tellPrepared, tellRecalled } from './telling.js';
import type { OpenedThread } from './persistence/stored-thread.js';

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

  readonly #of: ReturnType<typeof sessionPieces>;
  readonly #openAside: () => Session<ClientMessage>;

  /**
   * `opened`: where it is kept, if anywhere. `openAside` makes a session of these settings under a path below this one's.
   * @hidden `spillway.session` and `spillway.open` make them.
   */
  constructor(parts: SessionParts, openAside: () => Session<ClientMessage>, opened?: OpenedThread) {
    this.id = parts.id;
    this.agentPath = parts.agentPath;
    this.format = parts.format;
    this.#openAside = openAside;
    this.#of = sessionPieces(parts, opened, {
      append: (message) => this.append(message),
      appendAll: (messages) => this.#appendAll(messages),
      load: () => this.load(),
      tellToContinue: () => this.continue(),
      queue: () => void this.operator.queue({ auto: true }),
    });
    this.operator = this.#of.operator;
  }

  /** As far as it was read: of a session that was opened again the live tail, until `load`. */
  get log(): ReadonlyLog {
    return this.#of.thread.log;
  }

  /** Readings, firings, short-circuits, no-ops, failures: hot, and for listening only. */
  get events(): Observable<PressureEvent> {
    return this.#of.parts.stream.events;
  }

  get reading(): Reading {
    return this.#of.parts.gauge.read(this.#of.thread.projection);
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
    messages.forEach(checkMessage);
    return this.#appendAll(messages.map((message) => ownMessage(message, this.#of.parts.copyInstance)));
  }

  /** Not as arguments: a client's whole history can be more of them than a call takes. */
  #appendAll(given: readonly Message[]): Promise<void> {
    const { redaction } = this.#of.parts;
    const messages = redaction ? given.map((message) => redaction.take(message)) : given;
    const fresh = messages.filter((message) => !this.#of.persistence.isWaiting(message));
    this.#of.thread.checkIds(fresh);
    for (const message of fresh) this.#of.thread.append(message);
    return this.#of.persistence.stored(messages.map(({ id }) => id));
  }

  /**
   * The request for the next call: compacts first where pressure says so. Rejects with `BUDGET_UNREACHABLE` where what
   * may not be removed does not fit, no run being committed then, and with `COMPACTION_PENDING` where an operator is
   * asked first. Aborting the signal stops the waiting for text: the compaction goes on with what there is.
   */
  async prepare(options: PrepareOptions = {}): Promise<Prepared<ClientMessage>> {
    checkOptions('session.prepare', options);
    if (options.model !== undefined) this.#of.parts.gauge.talkTo(options.model);
    this.#of.parts.gauge.askFor(options.maxOutputTokens);
    const [started, injected] = [this.#of.parts.timer(), this.#of.requests.injections(options.inject ?? [])];
    const run = await this.#of.runs.beforeCall(this.#of.requests.movedFrom(injected), options.signal);
    await this.#of.loopEnd.put((message) => this.append(message));
    return tellPrepared(
      this.#of.parts,
      started,
      this.#of.requests.write(run, injected),
    ) as Prepared<ClientMessage>;
  }

  /** Tells the agent to go on if it has next steps: what `compaction.continue: on` does by itself. */
  continue(): Promise<void> {
    const { clock } = this.#of.parts;
    return this.append(continueMessage(`continue:${this.log.length}:${clock()}`, clock()));
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
   * compacts, and says whether to try again. Once: a second refusal in a row is not tried again, nor one after which
   * nothing could be made smaller. The error belongs in no history. Aborting ends waits.
   */
  async overflowed(error: unknown, signal?: AbortSignal): Promise<OverflowVerdict> {
    checkOptions('session.overflowed', { signal });
    return this.#of.reaction.to(error, this.#of.requests.sent, (trigger, target) =>
      this.#of.runs.compact(trigger, { target, refused: true, signal }),
    );
  }

  /**
   * Prepares a request, hands it to `send`, and where the provider says it was too long compacts and sends once more.
   * Rejects with whatever `send` rejects with. One call at a time: the next one, and a compaction that is asked for
   * meanwhile, wait until `send` is done, and until what it gives to `flight.until` is: its stream read to the end.
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
    for (let isSecond = false; ; isSecond = true) {
      const request = await this.prepare(options);
      try {
        return await this.#of.line.sending(() => send(request));
      } catch (error) {
        const { retry } = await this.overflowed(error, options.signal);
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
    return this.#of.client.follow(body, options);
  }

  /**
   * Whether a request body holds another conversation than this session, instructions aside: a title that is to be
   * found, a side question. Following it would roll the log back to its beginning.
   */
  isStranger(body: unknown): Promise<boolean> {
    return this.#of.client.isStranger(body);
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
  recall(request: RecallRequest): Promise<readonly Recalled[]> {
    return tellRecalled(this.#of.parts, this.#of.recall.find(request));
  }

  /** Reads the rest of a session that was opened again, as runs, undo and recall do, and what others stored since. */
  async load(): Promise<this> {
    await this.#of.persistence.catchUp();
    await this.#of.persistence.load();
    this.#of.requests.takePast(await this.#of.persistence.calls());
    return this;
  }

  /** Whether an error is a store that is away, and calls are to go on without it (`onStoreFailure: open`). */
  goesOnWithout(error: unknown): boolean {
    return this.#of.parts.onStoreFailure === 'open' && isStoreFailure(error);
  }

  /** Tells listeners that a store failed where nothing waits for it; what was to be stored waits for the next write. */
  storeFailed(error: unknown): void {
    this.#of.parts.stream.emit({ kind: 'store-failed', error });
  }
}

/**
 * A message of the log's own: whoever appended it may write to the object that a provider or client gave, and the log
 * does not change. Throws `MESSAGE_INVALID` for what no request can carry.
 */
function ownMessage(message: Message, instance: CopyOptions['instance']): Message {
  try {
    return copied(message, { freeze: true, ...(instance && { instance }) });
  } catch (error) {
    if (!(error instanceof NotCopyable)) throw error;
    throw new SpillwayError('MESSAGE_INVALID', {
      subject: `message ${message.id}`,
      found: error.message,
      allowed: 'what JSON can say, and bytes',
      remedy: 'Append messages as a provider would get them.',
    });
  }
}
