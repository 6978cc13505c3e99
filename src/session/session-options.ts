import type { SummaryLines, WireFormat } from '../spi/index.js';
import type { ReadInstructions } from './hooks/instructions.js';
import type { LogMessage } from '../transcript/index.js';

/** Options of one session; everything else is in the engine's configuration. */
export interface SessionOptions {
  readonly id?: string;
  /** Agent path within the session; `primary` if absent. */
  readonly agentPath?: string;
  /** Wire format of its requests: a name in `formats`, or a format of your own; the engine's format if absent. */
  readonly format?: string | WireFormat;
  /** Model that its calls go to, if it differs from the model in the settings. */
  readonly model?: string;
  /** Tool definitions of the requests; measured once. */
  readonly tools?: readonly unknown[];
  /** Messages that are never compacted, beyond `pins`. A predicate's answer for a message must never change. */
  readonly keep?: readonly ((message: LogMessage) => boolean)[];
  /**
   * If a store fails before a call, `closed` rejects the call; `open` goes on from memory, emits `store-failed`, and
   * stores the rest when the store is back. An operator's changes reject in both cases. Absent: the engine's choice.
   */
  readonly onStoreFailure?: 'open' | 'closed';
  /** Reads instructions from outside the transcript at each compaction, e.g. a host's skills (see `pins.sources`). */
  readonly instructions?: ReadInstructions;
  /** Lines for a summarizer in addition to the transcript, in place of the engine's own lines. */
  readonly summaryLines?: SummaryLines;
}
