import type { Message } from '../../transcript/index.js';
import { isFields, itemAt, type Fields } from '../record.js';

/** The name of this format, and of whose `wire` its messages hold. */
export const FORMAT = 'anthropic';

/** One message as the Messages API carries it; fields beyond these are kept and never looked at. */
export type WireMessage = Fields & { readonly role?: unknown; readonly content?: unknown };

/** One content block, of whatever type. */
export type Block = Fields & { readonly type?: unknown };

/**
 * What a log message holds as `wire`. One user message of the wire may hold results, reminders and words: it becomes
 * several log messages, and each carries its own blocks only, so that a stored session has its bytes once.
 */
export interface Carried {
  /** The very object that came in, or, where it was taken apart, its fields with this piece's blocks. */
  readonly message: WireMessage;
  /** A further piece: on the wire its blocks follow those of the log message before it, in the same message. */
  readonly continues?: true;
}

/** What a part's `wire` holds: its block in the piece's content list, or a block inside that result. */
export type BlockPointer = number | readonly [block: number, inner: number];

export function carriedBy(message: Message): Carried | undefined {
  if (message.wireFormat !== FORMAT || !isFields(message.wire)) return undefined;
  return isFields(message.wire.message) ? (message.wire as unknown as Carried) : undefined;
}

/** The block that a part came from; undefined where the part is not this format's, or came from a bare string. */
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

/** Blocks that a tool on Anthropic's side makes and answers: they stand in the assistant's message, pairs and all. */
export function isServerBlock({ type }: Block): boolean {
  if (typeof type !== 'string' || type === 'tool_use' || type === 'tool_result') return false;
  return type.endsWith('_tool_use') || type.endsWith('_tool_result');
}
