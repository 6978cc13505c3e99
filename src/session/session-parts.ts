import type { LogRedaction } from '../facts/index.js';
import type { Policy } from '../pipeline/index.js';
import type { PressureStream } from '../pressure/index.js';
import type { MeasureMessage, Provider, Serialised } from '../spi/index.js';
import type { Filler } from '../summarizers/index.js';
import type { PriceOf } from '../tokens/index.js';
import type { CopyOptions, SummarizerChoice, ViewMessage } from '../transcript/index.js';
import type { AheadParts } from './ahead/background.js';
import type { AuditTrail } from './audit.js';
import type { Follower } from './client/follow.js';
import type { CostBook } from './costs.js';
import type { Gauge } from './gauge.js';
import type { SessionPlugins } from './hooks/session-plugins.js';
import type { RunOverrides, Tuned } from './run-overrides.js';
import type { Thread, ThreadRules } from './thread.js';

/**
 * Everything a session needs and does not make itself.
 * @hidden
 */
export interface SessionParts extends ThreadRules {
  readonly id: string;
  /** Which agent of the session, e.g. `primary` or `primary/reviewer`. */
  readonly agentPath: string;
  /** Name of the wire format of its requests. */
  readonly format: string;
  /** What that format knows of its providers. */
  readonly provider: Provider;
  readonly policy: Policy;
  /** Compact when pressure says so; off: only when asked. */
  readonly auto: boolean;
  /** Policy and summarizer of a run that is to go otherwise than the settings say. Throws `CONFIG_INVALID`. */
  readonly tuned: (overrides: RunOverrides) => Tuned;
  /** What becomes of an agent that an automatic compaction interrupts. */
  readonly continues: 'off' | 'ask' | 'on';
  /** Whether a compaction that is due waits for its text. */
  readonly waitsForText: boolean;
  /** Pressure from which the next compaction is prepared between turns; null: never. */
  readonly prepareAt: number | null;
  readonly ahead: AheadParts;
  /** Tokens kept free for what hooks inject. */
  readonly injectionReserve: number;
  readonly audit: AuditTrail;
  /** Answers pressure one run after the other, and tells what happens. */
  readonly stream: PressureStream;
  /** Whether calls go on from memory while the store is away, or reject. */
  readonly onStoreFailure: 'open' | 'closed';
  readonly priceOf: PriceOf;
  /** Measures what a plan writes; the same stubs come again in run after run. */
  readonly measureDraft: MeasureMessage;
  readonly count: (text: string) => number;
  readonly gauge: Gauge;
  /** Takes secrets out of what is appended; absent where the log keeps what was said. */
  readonly redaction?: LogRedaction | undefined;
  /** How the format's instances of classes are copied, where it has any. */
  readonly copyInstance: CopyOptions['instance'];
  /** Writes a view in the session's format, with the client's newest instructions at the head. */
  readonly serialise: (view: readonly ViewMessage[]) => Serialised;
  /** Tells what is new in a client's whole history. */
  readonly follower: Follower;
  readonly costs: CostBook;
  /** Whose hooks run around its compactions. */
  readonly plugins: SessionPlugins;
  /** Who writes the text of its compactions. */
  readonly summarizer: SummarizerChoice;
  /** Buys text for plans; absent where no summarizer is configured. */
  readonly filler?: Filler;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Monotonic milliseconds. */
  readonly timer: () => number;
}

/** One thread and what it works with: what all that a session is made of have in common. */
export interface SessionCore {
  readonly thread: Thread;
  readonly parts: SessionParts;
}
