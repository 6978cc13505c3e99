import type { Settings } from '../config/index.js';
import type { planRun } from '../pipeline/index.js';
import type { PressureStream } from '../pressure/index.js';
import type { MeasureMessage, ThreadKey, WireFormat, SummaryLines } from '../spi/index.js';
import type { PriceOf } from '../tokens/index.js';
import type { Background } from './ahead/background.js';
import type { AuditTrail } from './audit.js';
import type { Follower } from './client/follow.js';
import type { CostBook } from './costs.js';
import type { Gauge } from './gauge.js';
import type { SessionPlugins } from './hooks/session-plugins.js';
import type { Intake } from './inbox.js';
import type { Policies, Summarizing } from './policies.js';
import type { Thread, ThreadRules } from './thread.js';
import type { ReadInstructions } from './hooks/instructions.js';
import type { LogMessage } from '../transcript/index.js';

/** Which session, and what is its own; the rest is the engine's configuration. */
export interface SessionOptions {
  readonly id?: string;
  /** Which agent of the session; `primary` where absent. */
  readonly agentPath?: string;
  /** How its requests are written: a name of `formats`, or a format of your own; the engine's where absent. */
  readonly format?: string | WireFormat;
  /** Model that its calls go to, where it is another one than the settings name. */
  readonly model?: string;
  /** Tool definitions of the requests; counted once. */
  readonly tools?: readonly unknown[];
  /** Messages that are never compacted, beside what the settings pin. A predicate must not change its mind about one. */
  readonly keep?: readonly ((message: LogMessage) => boolean)[];
  /**
   * A store that fails before a call: `closed` rejects, as does everything that is to be durable; `open` goes on from
   * memory, says so (`store-failed`) and stores what waits when the store is back. The engine's where absent.
   */
  readonly onStoreFailure?: 'open' | 'closed';
  /** Gives instructions that stand outside the transcript, skills of a host's own, as `pins.sources` does files; asked at each compaction. */
  readonly instructions?: ReadInstructions;
  /** What a summarizer is told beside the transcript, in place of the engine's own lines. */
  readonly summaryLines?: SummaryLines;
}

/** The outside world as the engine sees it. */
export interface Effects {
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Monotonic milliseconds. */
  readonly timer: () => number;
}

/** Plans runs: what the stages propose, judged and measured. */
export interface Pipeline {
  /** Pure and synchronous: a plan, a reason why there is none, or what does not fit. */
  readonly plan: typeof planRun;
}

/** What the parts of one session are made with. Each names what it uses, and is given that by the session's container. */
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

/** Those that a part names. */
export type Uses<Name extends keyof SessionServices> = Pick<SessionServices, Name>;
