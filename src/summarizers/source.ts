import {
  isToolCall,
  isToolResult,
  textOf,
  type LogMessage,
  type ReadonlyLog,
  type Slot,
  type ToolCallPart,
} from '../transcript/index.js';
import { escaped, middleCut, quoteCall, quoteMessage } from './quote.js';

/** What a slot's text is to be written from. */
export interface SlotSource {
  /** In order; for a slot of one part, the message that holds it. */
  readonly messages: readonly LogMessage[];
  /** Set where the slot is for one part. */
  readonly partIndex?: number;
  /** The call whose result that part is. */
  readonly call?: ToolCallPart;
  /** Counted tokens of all that the text is to stand for. */
  readonly tokens: number;
}

/** The originals of a slot, less the pins, which stand in the view anyway. Never an earlier summary: nothing drifts. */
export function slotSource(
  slot: Slot,
  partIndex: number | undefined,
  log: ReadonlyLog,
  isPinned: (message: LogMessage) => boolean,
): SlotSource | undefined {
  const from = log.find(slot.fromId)?.seq;
  const to = log.find(slot.toId)?.seq;
  if (from === undefined || to === undefined || from > to) return undefined;
  if (partIndex !== undefined) {
    const message = log.at(from);
    const call = callOf(message, partIndex, log);
    const tokens = message.size.parts[partIndex]?.tokens ?? 0;
    return { messages: [message], partIndex, tokens, ...(call && { call }) };
  }
  const span = Array.from({ length: to - from + 1 }, (_, i) => log.at(from + i));
  const messages = span.filter((message) => !isPinned(message));
  return { messages, tokens: messages.reduce((sum, { size }) => sum + size.tokens, 0) };
}

/** Results follow their call at once: the nearest earlier one with the id is it. */
function callOf(message: LogMessage, partIndex: number, log: ReadonlyLog): ToolCallPart | undefined {
  const part = message.parts[partIndex];
  if (!part || !isToolResult(part)) return undefined;
  const from = log.exchangeOf(message.seq).seqs[0]!;
  for (let seq = message.seq - 1; seq >= from; seq--) {
    const call = log.at(seq).parts.find((other) => isToolCall(other) && other.callId === part.callId);
    if (call && isToolCall(call)) return call;
  }
  return undefined;
}

export interface ChunkRequest {
  readonly source: SlotSource;
  readonly exchangeOf: (seq: number) => number;
  /** Longest tool result, in characters. */
  readonly resultChars: number;
  /** Most tokens of one chunk. */
  readonly chunkTokens: number;
  readonly count: (text: string) => number;
  readonly redact: (text: string) => string;
}

/** The source, quoted, in pieces that fit one call each. Pieces end where exchanges end; what is longer is cut visibly. */
export function chunksOf({ source, ...request }: ChunkRequest): string[] {
  const { chunkTokens, count, redact, resultChars } = request;
  const fit = (text: string): string => fitted(text, chunkTokens, count);
  if (source.partIndex !== undefined) {
    const part = source.messages[0]!.parts[source.partIndex]!;
    const call = source.call ? `${redact(quoteCall(source.call))}\n` : '';
    return [`<message role="tool">\n${call}${fit(escaped(redact(textOf(part))))}\n</message>`];
  }
  const chunks: string[] = [];
  let chunk = '';
  let taken = 0;
  for (const exchange of exchangesOf(source.messages, request.exchangeOf)) {
    const quoted = exchange
      .map((message) => quoteMessage(message, resultChars))
      .filter((text) => text !== '');
    if (quoted.length === 0) continue;
    const text = fit(redact(quoted.join('\n')));
    const tokens = count(text);
    if (chunk !== '' && taken + tokens > chunkTokens) {
      chunks.push(chunk);
      chunk = '';
      taken = 0;
    }
    chunk += chunk === '' ? text : `\n${text}`;
    taken += tokens;
  }
  if (chunk !== '') chunks.push(chunk);
  return chunks;
}

function exchangesOf(messages: readonly LogMessage[], exchangeOf: (seq: number) => number): LogMessage[][] {
  const groups = new Map<number, LogMessage[]>();
  for (const message of messages) {
    const index = exchangeOf(message.seq);
    const group = groups.get(index);
    if (group) group.push(message);
    else groups.set(index, [message]);
  }
  return [...groups.values()];
}

function fitted(text: string, maxTokens: number, count: (text: string) => number): string {
  const tokens = count(text);
  if (tokens <= maxTokens) return text;
  let chars = Math.floor((text.length * maxTokens) / tokens);
  for (let attempt = 0; attempt < 8; attempt++) {
    const cut = middleCut(text, chars);
    if (count(cut) <= maxTokens) return cut;
    chars = Math.floor(chars * 0.8);
  }
  return middleCut(text, 0);
}
