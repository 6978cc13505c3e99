import type { SummaryLines, WireFormat } from '../spi/index.js';
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
