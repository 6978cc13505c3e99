import type { Message, Steps, ViewMessage } from '../transcript/index.js';
import type { Provider } from './provider.js';

/** Something that was mended or passed over, said to the user in the report. */
export interface Notice {
  /** Where: a message index, a line number, or a message id. */
  readonly at: string;
  readonly what: string;
  /** The kind of repair, e.g. `interrupted-call`, `late-result`, `unknown-part`, `torn-line`. */
  readonly kind: string;
}

/** A transcript read from some format. */
export interface Parsed {
  readonly messages: readonly Message[];
  readonly notices: readonly Notice[];
  /** Tool definitions as the request carried them; counted in the budget. */
  readonly tools?: readonly unknown[];
  readonly model?: string;
  /**
   * From a reader: the first message that was parsed anew. Those before it say what they said at the last read; only
   * instructions at the head, which many clients change with each request, may differ. Absent: everything may be new.
   */
  readonly changedFrom?: number;
}

/** The messages of one request, in a format's own shape, and what had to be mended for the provider to accept them. */
export interface Serialised {
  readonly messages: readonly unknown[];
  /** Fields that stand beside the messages in the body, where a format has any: `system`, `systemInstruction`. */
  readonly beside?: Readonly<Record<string, unknown>>;
  readonly notices: readonly Notice[];
}

/**
 * One wire format. `serialise(parse(x))` is `x` where nothing was edited: unknown fields and key order included.
 * What the log itself holds broken (interrupted calls, late results) is mended in `serialise`, with a notice.
 */
export interface WireFormat {
  readonly name: string;
  /** The body's field that holds the messages: `messages`, `contents`, `input`. */
  readonly messagesField: string;
  /** Parses one request body or a bare message list. Throws `INPUT_FORMAT` where it is not this format. */
  parse(input: unknown): Parsed;
  /** What is known of whoever reads its requests. */
  readonly provider?: Provider;
  /** For clients that send the whole conversation each time; without one the whole of it is parsed each time. */
  createReader?(): RequestReader;
  /**
   * A copy of an instance of a class, for formats whose messages are such; `copy` copies what it holds. Without it
   * instances are taken in and handed out as they are, and whoever writes to one changes the log.
   */
  copyInstance?(value: object, copy: (inner: unknown) => unknown): unknown;
  /**
   * Pure: the same view gives the same bytes, with any memory or none. A longer view extends a shorter one wherever the
   * log does. With a memory, what is given is valid until that memory is used again.
   */
  serialise(view: readonly ViewMessage[], memory?: WireMemory): Serialised;
}

/** Reads the same conversation again and again as it grows, parsing only what changed. */
export interface RequestReader {
  /** Equal to `parse(input)`, what it throws included; `changedFrom` says what is new since the last read. */
  read(input: unknown): Parsed;
  /** The same in steps, so that a long history is read without keeping others waiting. */
  reading?(input: unknown): Steps<Parsed>;
}

/**
 * What a format keeps from one request of an agent path to the next, so that it need not write again what has not changed.
 * Whoever asks for requests holds it, empty at first, and looks at nothing in it.
 */
export interface WireMemory {
  kept?: unknown;
}
