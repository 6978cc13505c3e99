import { cutArguments, cutText, levelFor, type CutRequest } from '../text/digest/index.js';
import { groupsOf, type TranscriptView, type ViewExchange } from '../spi/index.js';
import {
  partHandle,
  spanHandle,
  textOf,
  type Edit,
  type Mark,
  type Message,
  type Part,
  type Replace,
  type ToolResultPart,
  type ViewMessage,
} from '../transcript/index.js';
import type { Excess } from './draft.js';
import { SMALLEST_RESULT } from './floor.js';
import type { GuardRights } from './guard.js';

/**
 * What the pipeline does by itself so that a request always fits: cuts to size, and drops the oldest. Results that came
 * in one message with a user's words are no words of the user.
 */
export const FIT_RIGHTS: GuardRights = {
  mayCut: (protection, part) =>
    protection === 'pinned' || (protection === 'unanswered' && part.type === 'tool-result'),
};

interface Cuttable {
  readonly exchange: ViewExchange;
  readonly shown: ViewMessage;
  readonly partIndex: number;
  readonly part: Part;
  readonly tokens: number;
  /** Size of the original part; known from when it was appended. */
  readonly originalTokens: number;
}

type Count = (text: string) => number;

/** Pins over their share: the largest are cut to one level, so that small ones stay whole. */
export function cutPins(view: TranscriptView, allowance: number, count: Count): Edit[] {
  const pins = view.exchanges.filter((exchange) => exchange.protection === 'pinned').flatMap(cuttables);
  const texts = pins.filter(({ part }) => part.type === 'text' || part.type === 'tool-result');
  return cutToTotal(view, texts, allowance, count, 'pins are over their share of the budget');
}

/** Fresh results over their share: cut to one level before any stage opens, for no stage may touch them. */
export function cutFreshResults(view: TranscriptView, allowance: number, count: Count): Edit[] {
  const fresh = freshOf(view).filter(({ part }) => part.type === 'tool-result');
  return cutToTotal(view, fresh, allowance, count, 'fresh results are over their share of the budget');
}

/** The last resort: fresh results and the arguments of their calls, down to whatever fits. */
export function shrinkFresh(view: TranscriptView, need: number, count: Count): Edit[] {
  const fresh = freshOf(view).filter(
    ({ part, exchange }) =>
      part.type === 'tool-result' || (part.type === 'tool-call' && !exchange.protection),
  );
  const total = fresh.reduce((sum, { tokens }) => sum + tokens, 0);
  return cutToTotal(view, fresh, total - need, count, 'nothing else is left to take out');
}

/**
 * Supersedes the oldest exchanges that nothing protects until what is needed is free; pins among them stay as holes.
 * Exchanges that reach over each other go together or not at all. `isKept`: what stays beside what is protected.
 */
export function dropOldest(
  view: TranscriptView,
  need: Excess,
  count: Count,
  isKept: (exchange: ViewExchange) => boolean = () => false,
): Edit[] {
  const edits: Edit[] = [];
  let run: ViewExchange[] = [];
  let tokens = 0;
  let freed = 0;
  const beside = { bytes: 0, images: 0 };
  const offer = (): { edit: Edit; gain: number } | undefined => {
    const loose = run.filter((exchange) => exchange.protection !== 'pinned');
    if (loose.length === 0) return undefined;
    const last = loose.reduce((a, b) => (b.to > a.to ? b : a));
    const { edit, cost } = notice(loose[0]!, last, view.mark, count);
    return tokens > cost ? { edit, gain: tokens - cost } : undefined;
  };
  const close = (): void => {
    const offered = offer();
    if (offered) edits.push(offered.edit);
    freed += offered?.gain ?? 0;
    run = [];
    tokens = 0;
  };
  const groups = groupsOf(view);
  // The request that a session began with stays before what tells of what was done about it.
  const request = groups.find(isPinnedRequest);
  for (const group of groups) {
    if (group === request || group.some((exchange) => stays(exchange) || isKept(exchange))) {
      close();
      continue;
    }
    run.push(...group);
    for (const exchange of group) {
      if (exchange.protection === 'pinned') continue;
      tokens += exchange.tokens;
      for (const { size } of exchange.messages) {
        beside.bytes += size.bytes;
        beside.images += size.images;
      }
    }
    if (beside.bytes < need.bytes || beside.images < need.images) continue;
    if (freed + tokens >= need.tokens && freed + (offer()?.gain ?? 0) >= need.tokens) break;
  }
  close();
  return edits;
}

function isPinnedRequest(group: readonly ViewExchange[]): boolean {
  return (
    group.every(({ protection }) => protection === 'pinned') && group[0]!.messages[0]?.message.role === 'user'
  );
}

/** What stands for a span that was summarised. */
export const isSummary = ({ kind, messages }: ViewExchange): boolean =>
  kind === 'replacement' && messages.some(({ message }) => message.label === 'summary');

function stays({ protection, unseen }: ViewExchange): boolean {
  return (protection !== undefined && protection !== 'pinned') || (unseen && protection !== 'pinned');
}

/** What a message costs beside its text, about; a notice that is refused for a token would free nothing. */
const FRAME_TOKENS = 8;

function notice(
  first: ViewExchange,
  last: ViewExchange,
  mark: Mark,
  count: Count,
): { edit: Edit; cost: number } {
  const handle = spanHandle(first.fromId, last.toId);
  const text = `[Earlier messages left out so that the request fits; ${mark(handle)}]`;
  const replacement: Message = {
    id: `notice:${handle}`,
    role: 'assistant',
    origin: 'synthetic',
    label: 'notice',
    parts: [{ type: 'text', text }],
  };
  const reason = 'dropped, oldest first: everything cheaper had been tried';
  return {
    edit: { kind: 'supersede', fromId: first.fromId, toId: last.toId, replacement: [replacement], reason },
    cost: count(text) + FRAME_TOKENS,
  };
}

function freshOf(view: TranscriptView): Cuttable[] {
  const isFresh = ({ unseen, protection }: ViewExchange): boolean =>
    unseen && (!protection || protection === 'unanswered');
  return view.exchanges.filter(isFresh).flatMap(cuttables);
}

function cuttables(exchange: ViewExchange): Cuttable[] {
  return exchange.messages.flatMap((shown) => {
    const { source } = shown;
    if (!source) return [];
    let at = 0;
    return source.parts.map((part, partIndex): Cuttable => {
      const length = shown.replaced?.get(partIndex)?.length ?? 1;
      let tokens = 0;
      for (const size of shown.size.parts.slice(at, at + length)) tokens += size.tokens;
      at += length;
      return {
        exchange,
        shown,
        partIndex,
        part,
        tokens,
        originalTokens: source.size.parts[partIndex]!.tokens,
      };
    });
  });
}

function cutToTotal(
  { mark }: TranscriptView,
  items: readonly Cuttable[],
  allowance: number,
  count: Count,
  reason: string,
): Edit[] {
  const level = levelFor(
    items.map(({ tokens }) => tokens),
    allowance,
  );
  return items
    .filter(({ tokens }) => tokens > Math.max(level, SMALLEST_RESULT))
    .map((item) => cut(item, Math.max(level, SMALLEST_RESULT), mark, count, reason));
}

function cut(item: Cuttable, maxTokens: number, mark: Mark, count: Count, reason: string): Replace {
  const { shown, partIndex, part, originalTokens } = item;
  const messageId = shown.source!.id;
  const handle = mark(partHandle(messageId, partIndex));
  const request = { maxTokens, count, handle, knownTokens: originalTokens };
  const text =
    part.type === 'tool-call'
      ? cutArguments(part.arguments, request)
      : part.type === 'tool-result' && part.content.some((inner) => inner.type === 'file')
        ? withoutFiles(part, request)
        : cutText(textOf(part), request);
  return { kind: 'replace', messageId, partIndex, content: [{ type: 'text', text }], reason };
}

/** Files cannot be made smaller: they give way to a line, and the text stays whole where there is room for both. */
function withoutFiles(part: ToolResultPart, { maxTokens, count, handle }: CutRequest): string {
  const text = textOf(part);
  const files = part.content.filter((inner) => inner.type === 'file').length;
  const whole = `${text.trimEnd()}\n[${files} file${files === 1 ? '' : 's'} left out; ${handle}]`.trimStart();
  if (count(whole) <= maxTokens) return whole;
  // Where the text alone would fit, it is still cut: the line that names the handle must stand somewhere.
  const knownTokens = count(text);
  return cutText(text, { maxTokens: Math.min(maxTokens, knownTokens - 1), count, handle, knownTokens });
}
