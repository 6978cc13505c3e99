import type { Artifact } from '../facts/index.js';
import { claimsText, type ClaimsRequest } from '../digest/index.js';
import { claimRef, joinedLines, type StatementIndex } from '../reading/index.js';
import { tokensOf, type RunDraft } from './draft.js';
import type { GuardRights } from './guard.js';
import type { Policy } from './policy.js';
import { PIPELINE_STEPS } from './steps.js';
import type { ViewSource } from './view.js';
import type { TranscriptView, ViewExchange } from '../spi/index.js';
import { MESSAGE_TOKENS } from '../tokens/index.js';
import { spanHandle, textOf, type Edit, type Message, type ViewMessage } from '../transcript/index.js';

/** What claims are taken from: read off the whole log, superseded or not. */
export interface ClaimSources {
  readonly artifacts: { all(): Iterable<Artifact> };
  readonly statements: StatementIndex;
  /** Names of those that operators ended; none where absent. */
  readonly ended?: { readonly size: number; has(ref: string): boolean };
}

/** Claims are the pipeline's own: they may take what was kept free for them. */
export const CARRY_RIGHTS: GuardRights = { mayCut: () => false, mayGrow: true, joins: true };

/** Tokens of the standing claims message; 0 where there is none. */
export function claimsTokens(view: readonly ViewMessage[]): number {
  return view.find(isClaims)?.size.tokens ?? 0;
}

/** What carrying claims needs of a run. */
interface CarryParts {
  readonly source: ViewSource;
  readonly claims: ClaimSources;
  readonly count: (text: string) => number;
  readonly policy: Pick<Policy, 'target'>;
}

/** Claims never fill a request to the brim: an answer of a few hundred tokens would overflow it. */
const FULLEST = 0.97;
/** What claims keep of their room where the rest of a request is above the target already. */
const MIN_CLAIMS_OF_ROOM = 0.9;

/** Carries claims. It runs after all stages, because only then is it known which messages have left. */
export function carry(draft: RunDraft, { source, claims, count, policy }: CarryParts, room: number): void {
  const { tokens, budget, scale } = draft.reading;
  const standing = claimsTokens(draft.projection.view);
  const upToTarget = (policy.target * tokensOf(budget) - tokens) / scale + standing;
  const upToBrim = (FULLEST * tokensOf(budget) - tokens) / scale + standing;
  const allowance = Math.floor(Math.min(room, upToBrim, Math.max(upToTarget, MIN_CLAIMS_OF_ROOM * room)));
  draft.step(
    PIPELINE_STEPS.claims,
    0,
    (view) => carryClaims(view, source, claims, allowance, count),
    CARRY_RIGHTS,
  );
}

/**
 * The edits that put the few exact things that left the view into one message of claims, behind the newest replacement.
 * It is written anew in each run, so what stands before it stays in the provider's cache. Nothing where no span has
 * left, or nothing is to be said.
 */
function carryClaims(
  view: TranscriptView,
  { log }: Pick<ViewSource, 'log'>,
  sources: ClaimSources,
  maxTokens: number,
  count: (text: string) => number,
): Edit[] {
  const place = placeOf(view);
  if (!place) return [];
  const standing = view.exchanges.find(({ messages }) => messages.some(isClaims));
  const shown = shownIn(view, log.length);
  const claims = claimsText({
    statements: sources.statements,
    artifacts: sources.artifacts.all(),
    isShownMessage: (seq) => shown.messages[seq] === 1,
    isShownText: (text) => {
      const joined = joinedLines(text);
      return shown.texts.some((standing) => standing.includes(joined));
    },
    ...endedOf(sources, log),
    isNamedFile: namedIn(log),
    upTo: log.at(log.length - 1).id,
    maxTokens: maxTokens - MESSAGE_TOKENS,
    count,
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

/** Which of them operators ended. Names are only reckoned where there are any. */
function endedOf(
  { ended }: ClaimSources,
  log: ViewSource['log'],
): Pick<ClaimsRequest, 'isEnded' | 'isEndedFile'> {
  if (!ended || ended.size === 0) return {};
  return {
    isEnded: ({ kind, id, text }) => ended.has(claimRef(kind, id, text)),
    isEndedFile: ({ changed, path }) => ended.has(claimRef('file', log.at(changed).id, path)),
  };
}

/** Whether the user speaks of a file, anywhere. Drawing asks more than once. */
function namedIn(log: ViewSource['log']): (file: Artifact) => boolean {
  const named = new Map<string, boolean>();
  return ({ path }) => {
    const name = path.slice(path.lastIndexOf('/') + 1);
    if (!named.has(name)) named.set(name, isSaid(name, log));
    return named.get(name)!;
  };
}

function isSaid(words: string, log: ViewSource['log']): boolean {
  for (let seq = 0; seq < log.length; seq++) {
    const { role, origin, parts } = log.at(seq);
    if (role !== 'user' || origin !== 'user') continue;
    if (parts.some((part) => part.type === 'text' && part.text.includes(words))) return true;
  }
  return false;
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

interface Place {
  readonly exchange: ViewExchange;
  /** What stands there now, or would. */
  readonly messages: readonly Message[];
}

function placeOf({ exchanges }: TranscriptView): Place | undefined {
  const exchange = exchanges.findLast((one) => one.protection === undefined && one.kind === 'replacement');
  return exchange && { exchange, messages: messagesOf(exchange) };
}

interface Shown {
  /** By log position: 1 where the message stands as it was. */
  readonly messages: Uint8Array;
  /** Texts that stand for messages, their lines joined: those of a sentence may be wrapped and indented. */
  readonly texts: readonly string[];
}

function shownIn(view: TranscriptView, logLength: number): Shown {
  const texts: string[] = [];
  const messages = new Uint8Array(logLength);
  for (const { messages: all } of view.exchanges) {
    for (const shown of all) {
      if (isClaims(shown)) continue;
      if (!shown.source) texts.push(...shown.message.parts.map((part) => joinedLines(textOf(part))));
      else if (!shown.replaced || shown.message.role !== 'tool') messages[shown.from] = 1;
    }
  }
  return { messages, texts };
}
