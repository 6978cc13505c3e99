import { SpillwayError } from '../errors/index.js';
import { ReferenceIndex, SecretBook, type Redact } from '../facts/index.js';
import { DigestIndex } from '../digest/index.js';
import type { PressureStream } from '../pressure/index.js';
import { StatementIndex } from '../reading/index.js';
import type { Policy, Spent } from '../pipeline/index.js';
import type { MeasureMessage, Serialised } from '../spi/index.js';
import type { Filler } from '../summarizers/index.js';
import type { PriceOf, Reading } from '../tokens/index.js';
import {
  Ledger,
  Log,
  Projection,
  type CopyOptions,
  type LogMessage,
  type Message,
  type SummarizerChoice,
  type ViewMessage,
} from '../transcript/index.js';
import type { AuditTrail } from './audit.js';
import type { CostBook } from './costs.js';
import type { Session } from './session.js';
import { HiddenMessages } from './client/hidden.js';
import type { Follower } from './client/follow.js';
import type { Gauge } from './gauge.js';
import type { EarlyFill } from './ahead/early.js';
import type { RunReport } from './prepared.js';
import type { RunOverrides, Tuned } from './run-overrides.js';
import { pinPredicate, type PinRules } from './pins.js';
import { markerOf, type QueuedCompaction } from './queue.js';

/**
 * Everything a session needs and does not make itself.
 * @hidden
 */
export interface SessionParts {
  readonly id: string;
  /** Which agent of the session, e.g. `primary` or `primary/reviewer`. */
  readonly agentPath: string;
  /** Name of the wire format of its requests. */
  readonly format: string;
  readonly policy: Policy;
  readonly pins: PinRules;
  /** Compact when pressure says so; off: only when asked. */
  readonly auto: boolean;
  /** Policy and summarizer of a run that is to go otherwise than the settings say. Throws `CONFIG_INVALID`. */
  readonly tuned: (overrides: RunOverrides) => Tuned;
  /** What becomes of an agent that an automatic compaction interrupts. */
  readonly continues: 'off' | 'ask' | 'on';
  /** Pressure from which the next compaction is prepared between turns; null: never. */
  readonly prepareAt: number | null;
  readonly early: EarlyFill;
  /** Tokens kept free for what hooks inject. */
  readonly injectionReserve: number;
  readonly audit: AuditTrail;
  /** Answers pressure one run after the other, and tells what happens. */
  readonly stream: PressureStream<Reading, RunReport>;
  /** Makes a session of the same settings under a path below this one's. */
  readonly aside: () => Session;
  /** Whether calls go on from memory while the store is away, or reject. */
  readonly onStoreFailure: 'open' | 'closed';
  readonly priceOf: PriceOf;
  /** Measures what is appended, once. */
  readonly measure: MeasureMessage;
  /** Measures what a plan writes; the same stubs come again in run after run. */
  readonly measureDraft: MeasureMessage;
  readonly count: (text: string) => number;
  /** Takes secrets out of every text that is made from the log. */
  readonly redact: Redact;
  readonly gauge: Gauge;
  /** How the format's instances of classes are copied, where it has any. */
  readonly copyInstance: CopyOptions['instance'];
  /** Writes a view in the session's format, with the client's newest instructions at the head. */
  readonly serialise: (view: readonly ViewMessage[]) => Serialised;
  /** Tells what is new in a client's whole history. */
  readonly follower: Follower;
  readonly costs: CostBook;
  /** Who writes the text of its compactions. */
  readonly summarizer: SummarizerChoice;
  /** Buys text for plans; absent where no summarizer is configured. */
  readonly filler?: Filler;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Monotonic milliseconds. */
  readonly timer: () => number;
}

/**
 * What one agent path has come to: the log, what is sent of it, and what runs must remember of each other. Where
 * another process was first, its log and ledger are read again and take the place of these.
 */
export interface AgentState {
  log: Log;
  ledger: Ledger;
  /** Messages that the client does not know. */
  hidden: HiddenMessages;
  references: ReferenceIndex;
  statements: StatementIndex;
  digests: DigestIndex;
  secrets: SecretBook;
  isPinned: (message: LogMessage) => boolean;
  projection: Projection;
  /** Counted tokens ever appended: grows with the log, whatever compaction takes out. */
  appendedTokens: number;
  /** What the last run left undone; undefined where pressure is below the first gate. */
  spent: Spent | undefined;
  /** By stage: what it returned as `state`. */
  stageStates: ReadonlyMap<string, unknown>;
  /** The provider refused, or reported more than the budget: the next request is compacted whatever the reading. */
  overflowed: boolean;
  /** False where only the live tail was read: enough to append and to send, not to compact. */
  isWhole: boolean;
  /** A compaction that a marker in the log asked for, and that was not executed yet. */
  queued: QueuedCompaction | undefined;
  /** Set while text is being bought: what arrives waits, so that the log stands still under the plan. */
  arrivals: Message[] | undefined;
}

export function createState(parts: SessionParts): AgentState {
  return stateOn(new Log(), new Ledger(), parts);
}

/** Nothing remembered, nothing in view. */
export function stateOn(log: Log, ledger: Ledger, parts: SessionParts): AgentState {
  const isPinned = pinPredicate(parts.pins, log);
  return {
    log,
    ledger,
    hidden: new HiddenMessages(log),
    references: new ReferenceIndex(log),
    statements: new StatementIndex(log),
    digests: new DigestIndex(log),
    secrets: new SecretBook(log, parts.redact),
    isPinned,
    projection: new Projection(log, isPinned),
    appendedTokens: 0,
    spent: undefined,
    stageStates: new Map(),
    overflowed: false,
    isWhole: true,
    queued: undefined,
    arrivals: undefined,
  };
}

/** Throws `MESSAGE_ID_TAKEN` where one of them, or something in the log or on its way there, has an id already. */
export function checkIds(messages: readonly Message[], { log, arrivals }: AgentState): void {
  const ids = new Set(arrivals?.map(({ id }) => id));
  for (const { id } of messages) {
    if (log.isTaken(id) || ids.has(id))
      throw new SpillwayError('MESSAGE_ID_TAKEN', {
        subject: 'message id',
        found: id,
        remedy: 'Give every message of a session its own id, or leave ids out.',
      });
    ids.add(id);
  }
}

/** Takes a message into the log, or lets it wait where a plan is being filled. Throws `MESSAGE_ID_TAKEN`. */
export function takeIn(message: Message, state: AgentState, parts: SessionParts): void {
  const { arrivals, log } = state;
  if (!arrivals) {
    const entry = log.append(message, parts.measure(message));
    state.projection.append(entry);
    state.appendedTokens += entry.size.tokens;
    state.queued = markerOf(entry) ?? state.queued;
    return;
  }
  // What the log would refuse later is refused now, to whoever sent it.
  checkIds([message], state);
  arrivals.push(message);
}

/** Lets in what waited, in order. */
export function admitArrivals(state: AgentState, parts: SessionParts): void {
  const arrivals = state.arrivals ?? [];
  state.arrivals = undefined;
  for (const message of arrivals) takeIn(message, state, parts);
}
