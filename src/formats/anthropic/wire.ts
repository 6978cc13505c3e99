import type { Message } from '../../transcript/index.js';
import { isFields, itemAt, type Fields } from '../record.js';

/** The name of this format, which its messages also have as `wireFormat`. */
export const FORMAT = 'anthropic';

/** One message as the Messages API carries it; other fields are kept unread. */
export type WireMessage = Fields & { readonly role?: unknown; readonly content?: unknown };

/** One content block of any type. */
export type Block = Fields & { readonly type?: unknown };

/**
 * The `wire` of a log message. One user message on the wire may contain results, reminders and the user's words: it
 * becomes several log messages, each with only its own blocks, so that a stored session has the bytes only once.
 */
export interface Carried {
  /** The very object that came in; if it was split, its fields with this piece's blocks. */
  readonly message: WireMessage;
  /** A later piece of a split message: on the wire its blocks follow those of the previous log message. */
  readonly continues?: true;
}

/** The `wire` of a part: the index of its block in the piece's content list, or that of a block inside a result. */
export type BlockPointer = number | readonly [block: number, inner: number];

export function carriedBy(message: Message): Carried | undefined {
  if (message.wireFormat !== FORMAT || !isFields(message.wire)) return undefined;
  return isFields(message.wire.message) ? (message.wire as unknown as Carried) : undefined;
}

/** The block that a part came from; undefined if the part is of another format, or came from a bare string. */
export function blockAt(message: WireMessage | undefined, pointer: unknown): Block | undefined {
  const [at, inner] = Array.isArray(pointer) ? (pointer as readonly unknown[]) : [pointer];
  const block = itemAt(message?.content, at);
  return inner === undefined ? block : itemAt(block?.content, inner);
}

/** Content as blocks: a bare string is one text block. */
export function blocksOf(content: unknown): readonly Block[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.filter(isFields) : [];
}

export const isThinking = ({ type }: Block): boolean => type === 'thinking' || type === 'redacted_thinking';

/** Whether a block comes from a tool that Anthropic runs: calls and results are both in the assistant's message. */
export function isServerBlock({ type }: Block): boolean {
  if (typeof type !== 'string' || type === 'tool_use' || type === 'tool_result') return false;
  return type.endsWith('_tool_use') || type.endsWith('_tool_result');
}
