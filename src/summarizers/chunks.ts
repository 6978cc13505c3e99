import { speechesOf } from '../reading/index.js';
import { partHandle, spanHandle, textOf, type LogMessage } from '../transcript/index.js';
import { detailsFor, dividingDetail, type Detail } from './detail.js';
import { escaped, middleCut } from './quote.js';
import { quoteCall } from './quote-call.js';
import { quoteMessage, type QuoteRules } from './quote-message.js';
import { callsByResult, repeatedResults } from './repeats.js';
import type { SlotSource } from './source.js';
import { isPlanning } from './todos.js';

interface ChunkRequest extends Pick<QuoteRules, 'question' | 'redact'> {
  readonly source: SlotSource;
  readonly exchangeOf: (seq: number) => number;
  /** Longest tool result, in characters; less where room is short. */
  readonly resultChars: number;
  /** Into how many pieces of about one size; more where a piece would be larger than `chunkTokens`. */
  readonly chunks: number;
  /** Most tokens of one chunk. */
  readonly chunkTokens: number;
  readonly count: (text: string) => number;
}

/** One piece of a source. */
export interface Chunk {
  /** Quoted. */
  readonly text: string;
  /** What of the log it shows. */
  readonly handle: string;
}

/**
 * The source, quoted, in pieces that fit one call each. Pieces end where exchanges end. Each shows as much of its
 * results, arguments and words as fits, in this order of leaving.
 */
export function chunksOf(request: ChunkRequest): Chunk[] {
  const { source } = request;
  const [first] = source.messages;
  if (source.partIndex !== undefined)
    return [
      {
        text: quotePart(source, source.partIndex, request),
        handle: partHandle(first!.id, source.partIndex),
      },
    ];
  const quoting = { ...request, redact: onceEach(request.redact), speechesOf: speechesOnce(source.messages) };
  return divided(quoting).map((exchanges) => {
    const messages = exchanges.flat();
    return {
      text: fitted(exchanges, quoting),
      handle: spanHandle(messages[0]!.id, messages.at(-1)!.id),
    };
  });
}

/** What is asked again at every detail that is tried is worked out once. */
function onceEach<Key, Value>(work: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    if (!known.has(key)) known.set(key, work(key));
    return known.get(key)!;
  };
}

function speechesOnce(messages: readonly LogMessage[]): QuoteRules['speechesOf'] {
  const bySeq = new Map(messages.map((message) => [message.seq, message]));
  return onceEach((message) => speechesOf(message, bySeq.get(message.seq - 1)));
}

type Exchange = readonly LogMessage[];

function divided({ source, exchangeOf, chunks, ...request }: ChunkRequest & Quoting): Exchange[][] {
  const detail = dividingDetail(request.resultChars);
  const sized = exchangesOf(source.messages, exchangeOf)
    .map((exchange) => ({ exchange, text: quoted([exchange], detail, rulesFor([exchange], request)) }))
    .filter(({ text }) => text !== '')
    .map(({ exchange, text }) => ({ exchange, tokens: request.count(text) + BREAK_TOKENS }));
  const total = sized.reduce((sum, { tokens }) => sum + tokens, 0);
  const pieces: Exchange[][] = [];
  let piece: Exchange[] = [];
  let inPiece = 0;
  let before = 0;
  for (const { exchange, tokens } of sized) {
    const share = (total * (pieces.length + 1)) / chunks;
    const isFull = inPiece + tokens > request.chunkTokens;
    // An exchange belongs to the piece that holds its middle.
    if (piece.length > 0 && (isFull || before + tokens / 2 > share)) {
      pieces.push(piece);
      piece = [];
      inPiece = 0;
    }
    piece.push(exchange);
    inPiece += tokens;
    before += tokens;
  }
  if (piece.length > 0) pieces.push(piece);
  return pieces;
}

type Quoting = Omit<ChunkRequest, 'source' | 'exchangeOf' | 'chunks'> & Pick<QuoteRules, 'speechesOf'>;

/** A line break between two exchanges. */
const BREAK_TOKENS = 1;

/** A text is this much more or less dense than another of the same messages. */
const DENSITY_SPREAD = 1.25;

/** The most detail that fits; where even the least does not, the middle is cut. */
function fitted(exchanges: readonly Exchange[], request: Quoting): string {
  const { chunkTokens, count, resultChars } = request;
  const rules = rulesFor(exchanges, request);
  let text = '';
  let mostChars = Infinity;
  for (const detail of detailsFor(resultChars)) {
    const before = text;
    text = quoted(exchanges, detail, rules);
    // Counting takes longer than quoting: what is plainly too long is not counted.
    if (text === before || text.length > mostChars) continue;
    const tokens = count(text);
    if (tokens <= chunkTokens) return text;
    mostChars = (DENSITY_SPREAD * text.length * chunkTokens) / tokens;
  }
  return cutTo(text, chunkTokens, count);
}

function rulesFor(exchanges: readonly Exchange[], { question, redact, speechesOf }: Quoting): QuoteRules {
  const messages = exchanges.flat();
  const calls = callsByResult(messages);
  const repeated = repeatedResults(messages, calls);
  return {
    question,
    redact,
    speechesOf,
    callOf: (result) => calls.get(result),
    isRepeated: (result) => repeated.has(result),
  };
}

function quoted(exchanges: readonly Exchange[], detail: Detail, rules: QuoteRules): string {
  return exchanges
    .flatMap((exchange) => wordsOf(exchange).map((message) => quoteMessage(message, detail, rules)))
    .filter((text) => text !== '')
    .join('\n');
}

/** The state of plans goes along once, with the last piece. */
function wordsOf(exchange: Exchange): Exchange {
  if (!isPlanning(exchange)) return exchange;
  return exchange.map((message) => ({
    ...message,
    parts: message.parts.filter(({ type }) => type === 'text'),
  }));
}

function quotePart(source: SlotSource, partIndex: number, request: ChunkRequest): string {
  const { redact, chunkTokens, count } = request;
  const call = source.call ? `${quoteCall(source.call, redact, detailsFor(0).at(-1)!.writtenChars)}\n` : '';
  const text = redact(textOf(source.messages[0]!.parts[partIndex]!));
  return `<message role="tool">\n${call}${cutTo(escaped(text), chunkTokens, count)}\n</message>`;
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

function cutTo(text: string, maxTokens: number, count: (text: string) => number): string {
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
