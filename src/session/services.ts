import type { Settings } from '../config/index.js';
import type { RunInput, RunOutcome } from '../pipeline/index.js';
import type { PressureStream } from '../pressure/index.js';
import type { MeasureMessage, ThreadKey, WireFormat } from '../spi/index.js';
import type { PriceOf } from '../tokens/index.js';
import type { Made } from '../transcript/index.js';
import type { Background } from './ahead/background.js';
import type { AuditTrail } from './audit.js';
import type { Follower } from './client/follow.js';
import type { CostBook } from './costs.js';
import type { Gauge } from './gauge.js';
import type { SessionPlugins } from './hooks/session-plugins.js';
import type { Intake } from './intake.js';
import type { Policies, Summarizing } from './policies.js';
import type { SessionOptions } from './session-options.js';
import type { Thread, ThreadRules } from './thread.js';

/** The outside world as the engine sees it. */
export interface Effects {
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Monotonic milliseconds. */
  readonly timer: () => number;
}

/** Plans runs: checks and measures the proposals of the stages. */
export interface Pipeline {
  /** Pure: returns a plan, a reason for no plan, or what does not fit; at once, or in steps that can be interrupted. */
  readonly plan: (input: RunInput) => Made<RunOutcome>;
}

/** The services that the parts of one session use. */
export interface SessionServices extends Effects {
  /** Session id and agent path, such as `primary` or `primary/reviewer`. */
  readonly key: ThreadKey;
  /** The options that the session was opened with. */
  readonly options: SessionOptions;
  /** The settings of its agent. */
  readonly settings: Settings;
  /** The wire format of its requests. */
  readonly format: WireFormat;
  /** The policies of its runs. */
  readonly policies: Policies;
  readonly gauge: Gauge;
  readonly pipeline: Pipeline;
  /** Log, ledger and the view that is sent. */
  readonly thread: Thread;
  readonly rules: ThreadRules;
  readonly intake: Intake;
  /** Measures the messages that a plan writes, with a memo, because the same stubs recur in each run. */
  readonly measureDraft: MeasureMessage;
  /** Tokens of a text, by the session's counter. */
  readonly count: (text: string) => number;
  /** Finds what is new in a client's whole history. */
  readonly follower: Follower;
  /** Starts runs on pressure, one after the other, and emits events. */
  readonly stream: PressureStream;
  readonly audit: AuditTrail;
  readonly costs: CostBook;
  readonly priceOf: PriceOf;
  /** The plugins whose hooks run around its compactions. */
  readonly plugins: SessionPlugins;
  readonly summarizer: Summarizing;
  /** Prepares its compactions between turns. */
  readonly background: Background;
  /** Whether calls continue from memory while the store is unavailable (`open`), or reject (`closed`). */
  readonly onStoreFailure: 'open' | 'closed';
}

/** The services that a function names. */
export type Uses<Name extends keyof SessionServices> = Pick<SessionServices, Name>;
