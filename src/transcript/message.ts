import { frozenCopy } from './frozen.js';

/** A message of an agent's transcript in a vendor-neutral shape: the result of parsing any wire format. */

export type Role = 'system' | 'user' | 'assistant' | 'tool';

/** The author of a message. `synthetic`: a program wrote it (reminders, notices, our own summaries). */
export type Origin = 'user' | 'model' | 'tool' | 'system' | 'synthetic';

/**
 * Data that a format needs to write a part or message back byte for byte; opaque to all other code. On a part, it may
 * be a place in the `wire` of its message (indexes or a field name), so that bytes are stored once; a place means
 * nothing in another message. Messages of importers have no `wire`; their parts contain the content part itself.
 */
interface Wired {
  readonly wire?: unknown;
}

/** Plain text, verbatim. */
export interface TextPart extends Wired {
  readonly type: 'text';
  readonly text: string;
}

/** A model's reasoning before its answer. `text` is empty if the provider does not disclose it. */
export interface ReasoningPart extends Wired {
  readonly type: 'reasoning';
  readonly text: string;
  /** The provider's proof over this part (with some providers, over everything before it too). */
  readonly signature?: string;
}

/** A model's call of a tool; the result names the same `callId`. */
export interface ToolCallPart extends Wired {
  readonly type: 'tool-call';
  readonly callId: string;
  readonly name: string;
  /** JSON text, verbatim; may be malformed, as models write it. */
  readonly arguments: string;
  /** Id of the provider's own call (a program that runs at the provider) that makes this call. */
  readonly by?: string;
}

/** A tool's result for the call with the same `callId`. */
export interface ToolResultPart extends Wired {
  readonly type: 'tool-result';
  readonly callId: string;
  readonly name?: string;
  readonly content: readonly (TextPart | FilePart)[];
  readonly isError?: boolean;
}

/** The place of a file's content: its kind, and the field names and indexes that lead to it. */
export interface FilePlace {
  readonly as: 'address' | 'bytes' | 'text' | 'id';
  readonly way: readonly (string | number)[];
}

/** An image or a document. Its content stays in `wire`, and the engine does not read it. */
export interface FilePart extends Wired {
  /** The file's place in the `wire` of its message. */
  readonly at?: FilePlace;
  readonly type: 'file';
  /** e.g. `image/png` */
  readonly mediaType: string;
  /** Size on the wire, in bytes. */
  readonly bytes: number;
  readonly name?: string;
}

/** A request that is queued in the log itself, so that it survives a restart. */
export interface MarkerPart extends Wired {
  readonly type: 'marker';
  readonly marker: 'compaction' | 'give-back';
  readonly auto: boolean;
  /** For a `give-back`: the handle that was asked for, and the text for the next request; no `text` if left out. */
  readonly handle?: string;
  readonly text?: string;
}

/** Content that only its format understands: approvals, citations, unknown blocks. Kept or removed, never edited. */
export interface OpaquePart extends Wired {
  readonly type: 'opaque';
  /** The format's own name for it, e.g. `tool-approval-request`. */
  readonly kind: string;
  /** Size on the wire, in bytes. */
  readonly bytes: number;
  /** The part's place in the `wire` of its message. */
  readonly at?: FilePlace;
  /** Id of the call, if the part is a call of a tool that the provider runs itself. */
  readonly calls?: string;
  /** Id of such a call, if the part is its result. */
  readonly answers?: string;
}

/** One piece of a message; `type` names its kind. */
export type Part =
  TextPart | ReasoningPart | ToolCallPart | ToolResultPart | FilePart | OpaquePart | MarkerPart;

/** The kind of a synthetic message, so that later runs recognise our own text. */
export type Label = 'summary' | 'digest' | 'notice' | 'injected' | 'recalled';

/** One message of a transcript. Ids are unique in a session, including those of messages that were rolled back. */
export interface Message extends Wired {
  readonly id: string;
  readonly role: Role;
  readonly parts: readonly Part[];
  readonly origin: Origin;
  /** Marked never-compact by a plugin, a format or an operator. */
  readonly pinned?: boolean;
  readonly name?: string;
  /** Name of the wire format of `wire`, here and in the parts. Other formats write the message from its parts alone. */
  readonly wireFormat?: string;
  readonly label?: Label;
  /** The client's history does not contain the message: its exchange was answered on the client's behalf. */
  readonly unknownToClient?: boolean;
  /** Secrets were removed before the message entered the log (`redactLog`). */
  readonly redacted?: boolean;
  /** For a summary that a model wrote: the number of summaries between it and the originals. */
  readonly generation?: number;
  /** For a summary that a model wrote: the tokens that it was allowed. */
  readonly room?: number;
  /** For a message that replaces others: the least trusted origin among the replaced messages. */
  readonly trust?: Origin;
  /** Milliseconds since the epoch, if the source gives a time. */
  readonly createdAt?: number;
}

/** The cost of something in a request. */
export interface Size {
  readonly tokens: number;
  readonly bytes: number;
  readonly images: number;
}

/** The cost of a message: the whole, and each part without the message's own overhead. */
export interface MessageSize extends Size {
  readonly parts: readonly Size[];
}

/** A message at its place in the log, measured once. */
export interface LogMessage extends Message {
  readonly seq: number;
  readonly size: MessageSize;
}

/** The size of nothing: the start of a sum. */
export const NO_SIZE: Size = { tokens: 0, bytes: 0, images: 0 };

/** Adds field by field. */
export function addSizes(a: Size, b: Size): Size {
  return { tokens: a.tokens + b.tokens, bytes: a.bytes + b.bytes, images: a.images + b.images };
}

/** Subtracts field by field; fields may become negative. */
export function subtractSizes(a: Size, b: Size): Size {
  return { tokens: a.tokens - b.tokens, bytes: a.bytes - b.bytes, images: a.images - b.images };
}

/** A frozen copy: callers that receive it cannot change it. */
export function frozenSize(size: MessageSize): MessageSize {
  return frozenCopy(size, { parts: Object.freeze(size.parts.map((part) => frozenCopy(part))) });
}

/** The text of a part: text, reasoning, or a tool result's text; '' for other parts. */
export function textOf(part: Part): string {
  if (part.type === 'text' || part.type === 'reasoning') return part.text;
  if (part.type !== 'tool-result') return '';
  const only = part.content[0];
  if (part.content.length === 1 && only?.type === 'text') return only.text;
  return part.content.map((inner) => (inner.type === 'text' ? inner.text : '')).join('\n');
}

/** Whether a part is a tool call. */
export function isToolCall(part: Part): part is ToolCallPart {
  return part.type === 'tool-call';
}

/** Whether a part is reasoning with a provider's signature. */
export function isSigned(part: Part): part is ReasoningPart & { readonly signature: string } {
  return part.type === 'reasoning' && part.signature !== undefined;
}

/** Whether a part is a tool result. */
export function isToolResult(part: Part): part is ToolResultPart {
  return part.type === 'tool-result';
}
