import { fitText } from '../text/digest/index.js';
import { planIn, speechesOf } from '../text/reading/index.js';
import { isToolCall, partHandle, spanHandle, textOf, type LogMessage } from '../transcript/index.js';
import {
  callsByResult,
  escaped,
  middleCut,
  quoteCall,
  quoteMessage,
  repeatedResults,
  type Detail,
  type QuoteRules,
} from './quote.js';
import type { SlotSource } from './source.js';

/**
 * Steps of detail: the share of the longest result, then characters of arguments and of prose. Tool output is reduced
 * first, then the arguments of calls, and prose last. Below a quarter a result shows little more than that it existed,
 * so long arguments shrink before it does.
 */
const STEPS: readonly (readonly [results: number, written: number, prose: number])[] = [
  [1, 12_000, 40_000],
  [1 / 2, 12_000, 40_000],
  [1 / 4, 12_000, 40_000],
  [1 / 4, 4_000, 16_000],
  [1 / 8, 4_000, 16_000],
  [1 / 8, 2_000, 8_000],
  [1 / 16, 1_000, 4_000],
  [0, 400, 2_000],
];

/** A result shorter than this is shown whole when a source is divided into pieces. In characters. */
const MIN_RESULT = 300;

/** The longest call that is shown with the result of a one-part slot. In characters. */
const MAX_CALL_CHARS = 400;

/** The factor by which characters per token may vary between texts of the same messages. */
const DENSITY_SPREAD = 1.25;

export interface ChunkRequest extends Pick<QuoteRules, 'question' | 'redact'> {
  readonly source: SlotSource;
  readonly exchangeOf: (seq: number) => number;
  /** The longest tool result, in characters; less if room is short. */
  readonly resultChars: number;
  /** The number of pieces of about the same size; more if a piece would be larger than `chunkTokens`. */
  readonly chunks: number;
  /** Most tokens of one chunk. */
  readonly chunkTokens: number;
  readonly count: (text: string) => number;
}

/** One piece of a source. */
export interface Chunk extends CountedText {
  /** The handle of the part of the log that it shows. */
  readonly handle: string;
}

interface CountedText {
  /** Quoted. */
  readonly text: string;
  readonly tokens: number;
}

type Exchange = readonly LogMessage[];
type Quoting = ChunkRequest & Pick<QuoteRules, 'speechesOf'>;

/**
 * The source, quoted, in pieces that fit one call each. Pieces end at the end of an exchange. Each piece shows as much
 * of its results, arguments and prose as fits, and reduces them in this order.
 */
export function chunksOf(request: ChunkRequest): Chunk[] {
  const { source, redact, chunkTokens, count } = request;
  const { messages, partIndex, call } = source;
  if (partIndex !== undefined) {
    const quotedCall = call ? `${quoteCall(call, redact, MAX_CALL_CHARS)}\n` : '';
    const shown = cutTo(escaped(redact(textOf(messages[0]!.parts[partIndex]!))), chunkTokens, count).text;
    const text = `<message role="tool">\n${quotedCall}${shown}\n</message>`;
    return [{ text, tokens: count(text), handle: partHandle(messages[0]!.id, partIndex) }];
  }
  const bySeq = new Map(messages.map((message) => [message.seq, message]));
  const quoting = {
    ...request,
    redact: memoised(redact),
    speechesOf: memoised((message: LogMessage) => speechesOf(message, bySeq.get(message.seq - 1))),
  };
  return divide(quoting).map((exchanges) => ({
    ...fit(exchanges, quoting),
    handle: spanHandle(exchanges[0]![0]!.id, exchanges.at(-1)!.at(-1)!.id),
  }));
}

/** Remembers the result for each key, because every tried detail needs it again. */
function memoised<Key, Value>(work: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    if (!known.has(key)) known.set(key, work(key));
    return known.get(key)!;
  };
}

/**
 * Divides exchanges into pieces. The detail for the division must not depend on the other content of a piece, so that
 * the pieces of a span that grows at its end stay the same, and their texts are not requested again.
 */
function divide(request: Quoting): Exchange[][] {
  const { source, exchangeOf, chunks, chunkTokens, resultChars, count } = request;
  const least = Math.min(resultChars, MIN_RESULT);
  const [full] = detailsFor(resultChars);
  const detail = { ...full!, resultChars: Math.max(Math.floor(resultChars / 4), least) };
  const groups = new Map<number, LogMessage[]>();
  for (const message of source.messages) {
    const index = exchangeOf(message.seq);
    groups.set(index, [...(groups.get(index) ?? []), message]);
  }
  const sized = [...groups.values()]
    .map((exchange) => ({ exchange, text: quoteAll([exchange], detail, rulesFor([exchange], request)) }))
    .filter(({ text }) => text !== '')
    // One more token for the line break between two exchanges.
    .map(({ exchange, text }) => ({ exchange, tokens: count(text) + 1 }));
  const total = sized.reduce((sum, { tokens }) => sum + tokens, 0);
  const pieces: Exchange[][] = [];
  let pieceTokens = 0;
  let tokensBefore = 0;
  for (const { exchange, tokens } of sized) {
    const share = (total * pieces.length) / chunks;
    // An exchange belongs to the piece that contains its middle.
    if (pieces.length === 0 || pieceTokens + tokens > chunkTokens || tokensBefore + tokens / 2 > share) {
      pieces.push([]);
      pieceTokens = 0;
    }
    pieces.at(-1)!.push(exchange);
    pieceTokens += tokens;
    tokensBefore += tokens;
  }
  return pieces;
}

/** Details from the most to the least. */
const detailsFor = (resultChars: number): Detail[] =>
  STEPS.map(([share, writtenChars, proseChars]) => ({
    resultChars: Math.floor(share * resultChars),
    writtenChars,
    proseChars,
  }));

/** The text with the most detail that fits; if even the least detail does not fit, the middle is cut. */
function fit(exchanges: readonly Exchange[], request: Quoting): CountedText {
  const { chunkTokens, count, resultChars } = request;
  const rules = rulesFor(exchanges, request);
  let text = '';
  let maxChars = Infinity;
  for (const detail of detailsFor(resultChars)) {
    const before = text;
    text = quoteAll(exchanges, detail, rules);
    // Counting takes longer than quoting, so a text that is clearly too long is not counted.
    if (text === before || text.length > maxChars) continue;
    const tokens = count(text);
    if (tokens <= chunkTokens) return { text, tokens };
    maxChars = (DENSITY_SPREAD * text.length * chunkTokens) / tokens;
  }
  return cutTo(text, chunkTokens, count);
}

function rulesFor(exchanges: readonly Exchange[], rules: Quoting): QuoteRules {
  const messages = exchanges.flat();
  const calls = callsByResult(messages);
  const repeated = repeatedResults(messages, calls);
  return { ...rules, callOf: (result) => calls.get(result), isRepeated: (result) => repeated.has(result) };
}

function quoteAll(exchanges: readonly Exchange[], detail: Detail, rules: QuoteRules): string {
  return exchanges
    .flatMap((exchange) => withoutPlanCalls(exchange).map((message) => quoteMessage(message, detail, rules)))
    .filter((text) => text !== '')
    .join('\n');
}

/** Reduces an exchange that only writes its plan to its texts: the last piece comes with the state of the plan. */
function withoutPlanCalls(exchange: Exchange): Exchange {
  const calls = exchange.flatMap(({ parts }) => parts.filter(isToolCall));
  if (calls.length === 0 || calls.some(({ name, arguments: json }) => !planIn(name, json))) return exchange;
  return exchange.map((message) => ({
    ...message,
    parts: message.parts.filter(({ type }) => type === 'text'),
  }));
}

function cutTo(text: string, maxTokens: number, count: (text: string) => number): CountedText {
  const tokens = count(text);
  if (tokens <= maxTokens) return { text, tokens };
  const fit = fitText((chars) => middleCut(text, chars), maxTokens, count, text.length / tokens);
  const least = middleCut(text, 0);
  return fit ?? { text: least, tokens: count(least) };
}
