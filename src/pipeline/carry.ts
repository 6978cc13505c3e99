import { scanWords, type Artifact, type Identifier } from '../facts/index.js';
import { callsOf, claimsText, type StatementLedger } from '../outline/index.js';
import type { GuardRights } from './guard.js';
import type { ViewSource } from './view.js';
import type { TranscriptView, ViewExchange } from '../spi/index.js';
import {
  spanHandle,
  textOf,
  type Edit,
  type Message,
  type Part,
  type ViewMessage,
} from '../transcript/index.js';

/** What claims are taken from: read off the whole log, superseded or not. */
export interface ClaimSources {
  readonly identifiers: { all(): Iterable<Identifier> };
  readonly artifacts: { all(): Iterable<Artifact> };
  readonly statements: StatementLedger;
}

/** Claims are the pipeline's own: they may take what was kept free for them. */
export const CARRY_RIGHTS: GuardRights = { mayCut: () => false, mayGrow: true, joins: true };

/** Tokens of the standing claims message; 0 where there is none. */
export function claimsTokens(view: readonly ViewMessage[]): number {
  return view.find(isClaims)?.size.tokens ?? 0;
}

/**
 * The edits that put what left the view, and may be needed again, into one message of claims: behind the newest
 * replacement, or the digest of the newest exchange that has lost its results. It is written anew in each run, so what
 * stands before it stays in the provider's cache. Nothing where nothing has left, or nothing is to be said.
 */
export function carryClaims(
  view: TranscriptView,
  { log, secrets }: Pick<ViewSource, 'log' | 'secrets'>,
  sources: ClaimSources,
  maxTokens: number,
  count: (text: string) => number,
): Edit[] {
  const place = placeOf(view);
  if (!place) return [];
  const standing = view.exchanges.find(({ messages }) => messages.some(isClaims));
  const shown = shownIn(view, log.length);
  const isShownMessage = (seq: number): boolean => shown.messages[seq] === 1;
  const claims = claimsText({
    log,
    statements: sources.statements,
    identifiers: sources.identifiers.all(),
    artifacts: sources.artifacts.all(),
    secrets,
    isShownMessage,
    isShownText: (text) => shown.texts.some((standing) => standing.includes(text)),
    isShown: (word) =>
      isShownMessage(word.last) ||
      isShownMessage(word.lastCall) ||
      isShownMessage(word.first) ||
      shown.words.has(word.hash),
    maxTokens: maxTokens - MESSAGE_TOKENS,
    count,
    density: densityOf(standing?.messages.find(isClaims)),
  });
  if (!claims) return standing && !standing.protection ? [placing(standing, messagesOf(standing))] : [];
  const isSame = standing?.messages.some(
    (shown) => isClaims(shown) && textOf(shown.message.parts[0]!) === claims.text,
  );
  if (isSame && standing === place.exchange) return [];
  const handle = spanHandle(place.exchange.fromId, place.exchange.toId);
  const carried = placing(place.exchange, [...place.messages, claimsMessage(handle, claims.text)]);
  const isMoved = standing !== undefined && standing !== place.exchange && !standing.protection;
  return isMoved ? [placing(standing, messagesOf(standing)), carried] : [carried];
}

function placing({ fromId, toId }: ViewExchange, replacement: readonly Message[]): Edit {
  return {
    kind: 'supersede',
    fromId,
    toId,
    replacement,
    reason: 'what left the view and may be needed again',
  };
}

/** What stands in place of a span beside the claims. */
function messagesOf({ messages }: ViewExchange): Message[] {
  return messages.filter((shown) => !isClaims(shown)).map(({ message }) => message);
}

/** A message costs this much beside its text. */
const MESSAGE_TOKENS = 4;

function claimsMessage(handle: string, text: string): Message {
  return {
    id: `claims:${handle}`,
    role: 'assistant',
    origin: 'synthetic',
    label: 'claims',
    parts: [{ type: 'text', text }],
  };
}

function isClaims({ message }: ViewMessage): boolean {
  return message.label === 'claims';
}

function densityOf(claims: ViewMessage | undefined): number | undefined {
  const tokens = claims?.size.parts[0]?.tokens ?? 0;
  return tokens > 0 ? textOf(claims!.message.parts[0]!).length / tokens : undefined;
}

interface Place {
  readonly exchange: ViewExchange;
  /** What stands there now, or would. */
  readonly messages: readonly Message[];
}

function placeOf({ exchanges }: TranscriptView): Place | undefined {
  const exchange = exchanges.findLast(
    (one) =>
      one.protection === undefined &&
      (one.kind === 'replacement' || (one.kind === 'step' && !one.unseen && hasLostResults(one))),
  );
  if (!exchange) return undefined;
  return {
    exchange,
    messages: exchange.kind === 'replacement' ? messagesOf(exchange) : [digestOf(exchange)],
  };
}

/** All its results are replaced, and nothing stands between its messages. */
function hasLostResults({ messages, from, to }: ViewExchange): boolean {
  if (messages.length !== to - from + 1) return false;
  return messages.every(({ message, replaced }) =>
    message.parts.every((part, i) => part.type !== 'tool-result' || replaced?.has(i) === true),
  );
}

function digestOf({ messages, fromId, toId }: ViewExchange): Message {
  const handle = spanHandle(fromId, toId);
  const prose = messages
    .filter(({ message }) => message.role === 'assistant')
    .flatMap(({ message }) => message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])));
  const calls = callsOf(messages.map(({ source }) => source!)).map(({ line }) => line);
  return {
    id: `digest:${handle}`,
    role: 'assistant',
    origin: 'synthetic',
    label: 'digest',
    parts: [{ type: 'text', text: [...prose, ...calls, `[recall ${handle}]`].join('\n') }],
  };
}

interface Shown {
  /** By log position: 1 where the message stands as it was. */
  readonly messages: Uint8Array;
  /** Hashes of the words of all that stands changed. */
  readonly words: ReadonlySet<number>;
  /** What stands in place of messages. */
  readonly texts: readonly string[];
}

function shownIn(view: TranscriptView, logLength: number): Shown {
  const texts: string[] = [];
  const messages = new Uint8Array(logLength);
  const words = new Set<number>();
  for (const exchange of view.exchanges) {
    for (const shown of exchange.messages) {
      if (isClaims(shown)) continue;
      if (shown.source && !shown.replaced) messages[shown.from] = 1;
      else for (const part of shown.message.parts) for (const hash of wordsOf(part)) words.add(hash);
      if (!shown.source) texts.push(...shown.message.parts.map(textOf));
    }
  }
  return { messages, words, texts };
}

/** Parts never change, and what stands in place of others stays for many runs. */
const knownWords = new WeakMap<Part, readonly number[]>();

function wordsOf(part: Part): readonly number[] {
  let words = knownWords.get(part);
  if (!words) {
    const found: number[] = [];
    scanWords(part.type === 'tool-call' ? part.arguments : textOf(part), (hash) => found.push(hash));
    knownWords.set(part, (words = found));
  }
  return words;
}
