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

/** Plans runs: what the stages propose, judged and measured. */
export interface Pipeline {
  /** Pure: a plan, a reason why there is none, or what does not fit; at once, or in steps between which others have their turn. */
  readonly plan: (input: RunInput) => Made<RunOutcome>;
}

/** What the parts of one session are made with. */
export interface SessionServices extends Effects {
  /** Which session, and which agent of it: `primary`, or `primary/reviewer`. */
  readonly key: ThreadKey;
  /** What it was opened with. */
  readonly options: SessionOptions;
  /** Those of its agent. */
  readonly settings: Settings;
  /** How its requests are written. */
  readonly format: WireFormat;
  /** How its runs go. */
  readonly policies: Policies;
  readonly gauge: Gauge;
  readonly pipeline: Pipeline;
  /** Log and ledger, and what is sent of them. */
  readonly thread: Thread;
  readonly rules: ThreadRules;
  readonly intake: Intake;
  /** Measures what a plan writes; the same stubs come again in run after run. */
  readonly measureDraft: MeasureMessage;
  /** Tokens of a text, by the session's counter. */
  readonly count: (text: string) => number;
  /** Tells what is new in a client's whole history. */
  readonly follower: Follower;
  /** Answers pressure one run after the other, and tells what happens. */
  readonly stream: PressureStream;
  readonly audit: AuditTrail;
  readonly costs: CostBook;
  readonly priceOf: PriceOf;
  /** Whose hooks run around its compactions. */
  readonly plugins: SessionPlugins;
  readonly summarizer: Summarizing;
  /** Where its compactions are prepared between turns. */
  readonly background: Background;
  /** Whether calls go on from memory while the store is away, or reject. */
  readonly onStoreFailure: 'open' | 'closed';
}

/** Those that a function names. */
export type Uses<Name extends keyof SessionServices> = Pick<SessionServices, Name>;
