import { textOf, type LogMessage } from '../transcript/index.js';
import { escaped, middleCut, quoteCall, quoteMessage, type QuoteRules } from './quote.js';
import type { SlotSource } from './source.js';
import { isPlanning } from './todos.js';

export interface ChunkRequest extends QuoteRules {
  readonly source: SlotSource;
  readonly exchangeOf: (seq: number) => number;
  /** Into how many pieces of about one size; more where a piece would be larger than `chunkTokens`. */
  readonly chunks: number;
  /** Most tokens of one chunk. */
  readonly chunkTokens: number;
  readonly count: (text: string) => number;
}

/** The source, quoted, in pieces that fit one call each. Pieces end where exchanges end; what is longer is cut visibly. */
export function chunksOf({ source, exchangeOf, chunks, ...request }: ChunkRequest): string[] {
  if (source.partIndex !== undefined) return [quotePart(source, source.partIndex, request)];
  const quoted = exchangesOf(source.messages, exchangeOf)
    .map((exchange) => quoteExchange(exchange, request))
    .filter(({ tokens }) => tokens > 0);
  const total = quoted.reduce((sum, { tokens }) => sum + tokens, 0);
  const pieces: string[] = [];
  let piece: string[] = [];
  let inPiece = 0;
  let before = 0;
  for (const { text, tokens } of quoted) {
    const share = (total * (pieces.length + 1)) / chunks;
    const isFull = inPiece + tokens > request.chunkTokens;
    // An exchange belongs to the piece that holds its middle.
    if (piece.length > 0 && (isFull || before + tokens / 2 > share)) {
      pieces.push(piece.join('\n'));
      piece = [];
      inPiece = 0;
    }
    piece.push(text);
    inPiece += tokens;
    before += tokens;
  }
  if (piece.length > 0) pieces.push(piece.join('\n'));
  return pieces;
}

type Quoting = Omit<ChunkRequest, 'source' | 'exchangeOf' | 'chunks'>;

function quotePart(source: SlotSource, partIndex: number, request: Quoting): string {
  const { redact, chunkTokens, count } = request;
  const call = source.call ? `${quoteCall(source.call, redact)}\n` : '';
  const text = redact(textOf(source.messages[0]!.parts[partIndex]!));
  return `<message role="tool">\n${call}${fitted(escaped(text), chunkTokens, count)}\n</message>`;
}

function quoteExchange(
  exchange: readonly LogMessage[],
  request: Quoting,
): { readonly text: string; readonly tokens: number } {
  const { chunkTokens, count } = request;
  // The state of plans goes along once, with the last piece.
  const words = isPlanning(exchange)
    ? exchange.map((message) => ({ ...message, parts: message.parts.filter(({ type }) => type === 'text') }))
    : exchange;
  const quoted = words.map((message) => quoteMessage(message, request)).filter((text) => text !== '');
  if (quoted.length === 0) return { text: '', tokens: 0 };
  const text = fitted(quoted.join('\n'), chunkTokens, count);
  return { text, tokens: count(text) };
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
