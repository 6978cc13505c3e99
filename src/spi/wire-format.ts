import type { Message, Steps, ViewMessage } from '../transcript/index.js';
import type { Provider } from './provider.js';

/** A repair or omission that the report tells the user. */
export interface Notice {
  /** The place: a message index, a line number, or a message id. */
  readonly at: string;
  readonly what: string;
  /** The kind of repair, e.g. `interrupted-call`, `late-result`, `unknown-part`, `torn-line`. */
  readonly kind: string;
}

/** A transcript that a format has parsed. */
export interface Parsed {
  readonly messages: readonly Message[];
  readonly notices: readonly Notice[];
  /** Tool definitions as the request carried them; counted in the budget. */
  readonly tools?: readonly unknown[];
  readonly model?: string;
  /**
   * From a reader: the first message that was parsed anew. Earlier messages are the same as at the last read, except
   * for instructions at the head, which many clients change with each request. Absent: everything may be new.
   */
  readonly changedFrom?: number;
}

/** The messages of one request in a format's own shape, and the repairs that make the provider accept them. */
export interface Serialised {
  readonly messages: readonly unknown[];
  /** Fields next to the messages in the body, if the format has any: `system`, `systemInstruction`. */
  readonly beside?: Readonly<Record<string, unknown>>;
  readonly notices: readonly Notice[];
}

/**
 * One wire format. `serialise(parse(x))` is `x` if nothing was edited, including unknown fields and key order. Flaws of
 * the log itself (interrupted calls, late results) are repaired in `serialise`, with a notice.
 */
export interface WireFormat {
  readonly name: string;
  /** The body's field that holds the messages: `messages`, `contents`, `input`. */
  readonly messagesField: string;
  /** Parses one request body or a bare message list. Throws `INPUT_FORMAT` if the input has another format. */
  parse(input: unknown): Parsed;
  /** The behaviour of the providers that read its requests. */
  readonly provider?: Provider;
  /** For clients that send the whole conversation each time; without it everything is parsed each time. */
  createReader?(): RequestReader;
  /**
   * Copies an instance of a class, for formats whose messages are instances; `copy` copies its content. Without it,
   * instances are shared, and a caller that writes to one changes the log.
   */
  copyInstance?(value: object, copy: (inner: unknown) => unknown): unknown;
  /**
   * Pure: the same view gives the same bytes, with any memory or none. A longer view extends a shorter one wherever the
   * log does. With a memory, the result is valid until that memory is used again.
   */
  serialise(view: readonly ViewMessage[], memory?: WireMemory): Serialised;
}

/** Reads a growing conversation repeatedly, and parses only what changed. */
export interface RequestReader {
  /** Equal to `parse(input)`, including exceptions; `changedFrom` marks what is new since the last read. */
  read(input: unknown): Parsed;
  /** The same in steps, so that a long history does not block other work. */
  reading?(input: unknown): Steps<Parsed>;
}

/**
 * A format's cache for the next request of an agent path, so that unchanged content is not written again. The caller
 * keeps it, empty at first, and does not read it.
 */
export interface WireMemory {
  kept?: unknown;
}
