import { frozenCopy } from './frozen.js';

/** A message of an agent's transcript, in no vendor's shape: what every wire format is parsed into. */

export type Role = 'system' | 'user' | 'assistant' | 'tool';

/** Who made a message. `synthetic`: a program did (reminders, notices, our own summaries). */
export type Origin = 'user' | 'model' | 'tool' | 'system' | 'synthetic';

/**
 * What a format needs to write a part or message back byte for byte; opaque to everyone else. On a part it may be a place
 * in the `wire` of its own message (indexes of content or calls, the name of a field), so that stored bytes stand
 * once: such a part says nothing in another message. Importers, whose messages have none, put the content part itself.
 */
interface Wired {
  readonly wire?: unknown;
}

/** Words, verbatim. */
export interface TextPart extends Wired {
  readonly type: 'text';
  readonly text: string;
}

/** What a model thought before it spoke; `text` is empty where the provider keeps it to itself. */
export interface ReasoningPart extends Wired {
  readonly type: 'reasoning';
  readonly text: string;
  /** Provider's proof over this part (and, on some providers, over all before it). */
  readonly signature?: string;
}

/** A model asks for a tool; its result names the same `callId`. */
export interface ToolCallPart extends Wired {
  readonly type: 'tool-call';
  readonly callId: string;
  readonly name: string;
  /** JSON text, verbatim; may be malformed, as models write it. */
  readonly arguments: string;
  /** Id of a call of the provider's own that makes this one: of a program that runs at the provider. */
  readonly by?: string;
}

/** What a tool answered to the call of the same `callId`. */
export interface ToolResultPart extends Wired {
  readonly type: 'tool-result';
  readonly callId: string;
  readonly name?: string;
  readonly content: readonly (TextPart | FilePart)[];
  readonly isError?: boolean;
}

/** Where a file's bytes stand since it was parsed: what is there, and the names and places of fields that lead to it. */
export interface FilePlace {
  readonly as: 'address' | 'bytes' | 'text' | 'id';
  readonly way: readonly (string | number)[];
}

/** An image or a document. Its content stays in `wire`: nobody here looks inside. */
export interface FilePart extends Wired {
  /** In the `wire` of its message. */
  readonly at?: FilePlace;
  readonly type: 'file';
  /** e.g. `image/png` */
  readonly mediaType: string;
  /** Size on the wire, in bytes. */
  readonly bytes: number;
  readonly name?: string;
}

/** A queued request in the stream itself, found again after a restart. */
export interface MarkerPart extends Wired {
  readonly type: 'marker';
  readonly marker: 'compaction' | 'give-back';
  readonly auto: boolean;
  /** Of a `give-back`: what was asked for, and the words that the next request is to carry; absent where it left them out. */
  readonly handle?: string;
  readonly text?: string;
}

/** What only its format understands: approvals, citations, blocks of a kind not known yet. Kept or gone, never edited. */
export interface OpaquePart extends Wired {
  readonly type: 'opaque';
  /** The format's own name for it, e.g. `tool-approval-request`. */
  readonly kind: string;
  /** Size on the wire, in bytes. */
  readonly bytes: number;
  /** In the `wire` of its message. */
  readonly at?: FilePlace;
  /** Id of the call that this is, to a tool that the provider runs itself. */
  readonly calls?: string;
  /** Id of such a call, whose result this is. */
  readonly answers?: string;
}

/** One piece of a message; `type` says which. */
export type Part =
  TextPart | ReasoningPart | ToolCallPart | ToolResultPart | FilePart | OpaquePart | MarkerPart;

/** What a synthetic message is, so that later runs recognise our own text. */
export type Label = 'summary' | 'digest' | 'notice' | 'injected' | 'recalled';

/** One message of a transcript. Ids are unique in a session, messages that were rolled back included. */
export interface Message extends Wired {
  readonly id: string;
  readonly role: Role;
  readonly parts: readonly Part[];
  readonly origin: Origin;
  /** Marked never-compact by a plugin, a format or an operator. */
  readonly pinned?: boolean;
  readonly name?: string;
  /** Name of the wire format that `wire` is of, here and in the parts; any other format writes from the parts alone. */
  readonly wireFormat?: string;
  readonly label?: Label;
  /** The client that sends its history does not know of it: an exchange that was answered on its behalf. */
  readonly unknownToClient?: boolean;
  /** Secrets were taken out before it entered the log (`redactLog`). */
  readonly redacted?: boolean;
  /** Of a summary that a model wrote: how many summaries lie between it and the originals. */
  readonly generation?: number;
  /** Of a summary that a model wrote: tokens that it was given. */
  readonly room?: number;
  /** Of a message that stands for others: the least trusted of those who wrote them. */
  readonly trust?: Origin;
  /** Milliseconds since the epoch, where the source says. */
  readonly createdAt?: number;
}

/** What a thing costs in a request. */
export interface Size {
  readonly tokens: number;
  readonly bytes: number;
  readonly images: number;
}

/** A message's cost: the whole, and each part without the message's own overhead. */
export interface MessageSize extends Size {
  readonly parts: readonly Size[];
}

/** A message at its place in the log, measured once. */
export interface LogMessage extends Message {
  readonly seq: number;
  readonly size: MessageSize;
}

/** Of nothing: where sums begin. */
export const NO_SIZE: Size = { tokens: 0, bytes: 0, images: 0 };

/** Field by field. */
export function addSizes(a: Size, b: Size): Size {
  return { tokens: a.tokens + b.tokens, bytes: a.bytes + b.bytes, images: a.images + b.images };
}

/** Field by field; may go below 0. */
export function subtractSizes(a: Size, b: Size): Size {
  return { tokens: a.tokens - b.tokens, bytes: a.bytes - b.bytes, images: a.images - b.images };
}

/** A copy that nobody who is shown it can write to. */
export function frozenSize(size: MessageSize): MessageSize {
  return frozenCopy(size, { parts: Object.freeze(size.parts.map((part) => frozenCopy(part))) });
}

/** The plain words of a part: text, reasoning, or a tool result's text; '' for the rest. */
export function textOf(part: Part): string {
  if (part.type === 'text' || part.type === 'reasoning') return part.text;
  if (part.type !== 'tool-result') return '';
  const only = part.content[0];
  if (part.content.length === 1 && only?.type === 'text') return only.text;
  return part.content.map((inner) => (inner.type === 'text' ? inner.text : '')).join('\n');
}

/** Whether a part asks for a tool. */
export function isToolCall(part: Part): part is ToolCallPart {
  return part.type === 'tool-call';
}

/** Whether a part is reasoning that its provider vouches for. */
export function isSigned(part: Part): part is ReasoningPart & { readonly signature: string } {
  return part.type === 'reasoning' && part.signature !== undefined;
}

/** Whether a part is what a tool answered. */
export function isToolResult(part: Part): part is ToolResultPart {
  return part.type === 'tool-result';
}
