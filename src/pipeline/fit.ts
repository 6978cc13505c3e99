import { cutArguments, cutText, levelFor } from '../outline/index.js';
import type { TranscriptView, ViewExchange } from '../spi/index.js';
import {
  partHandle,
  spanHandle,
  textOf,
  type Edit,
  type Message,
  type Part,
  type Replace,
  type ViewMessage,
} from '../transcript/index.js';
import { SMALLEST_RESULT } from './floor.js';
import type { GuardRights } from './guard.js';

/** What the pipeline does by itself so that a request always fits: cuts to size, and drops the oldest. */
export const FIT_RIGHTS: GuardRights = { mayCut: new Set(['pinned']) };

interface Cuttable {
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
  return cutToTotal(texts, allowance, count, 'pins are over their share of the budget');
}

/** Fresh results over their share: cut to one level before any stage opens, for no stage may touch them. */
export function cutFreshResults(view: TranscriptView, allowance: number, count: Count): Edit[] {
  const fresh = freshOf(view).filter(({ part }) => part.type === 'tool-result');
  return cutToTotal(fresh, allowance, count, 'fresh results are over their share of the budget');
}

/** The last resort: fresh results and the arguments of their calls, down to whatever fits. */
export function shrinkFresh(view: TranscriptView, need: number, count: Count): Edit[] {
  const fresh = freshOf(view).filter(({ part }) => part.type === 'tool-result' || part.type === 'tool-call');
  const total = fresh.reduce((sum, { tokens }) => sum + tokens, 0);
  return cutToTotal(fresh, total - need, count, 'nothing else is left to take out');
}

/** Supersedes the oldest exchanges that nothing protects until `need` tokens are free; pins among them stay as holes. */
export function dropOldest(view: TranscriptView, need: number): Edit[] {
  const edits: Edit[] = [];
  let run: ViewExchange[] = [];
  let freed = 0;
  const close = (): void => {
    const first = run.find((exchange) => exchange.protection !== 'pinned');
    const last = run.findLast((exchange) => exchange.protection !== 'pinned');
    if (first && last) edits.push(notice(first, last));
    run = [];
  };
  for (const exchange of view.exchanges) {
    const isPin = exchange.protection === 'pinned';
    const stays = (exchange.protection !== undefined && !isPin) || exchange.unseen;
    if (stays) {
      close();
      continue;
    }
    run.push(exchange);
    if (!isPin) freed += exchange.tokens;
    if (freed >= need + NOTICE_TOKENS * (edits.length + 1)) break;
  }
  close();
  return edits;
}

/** Roughly what a notice takes; only decides when to stop. */
const NOTICE_TOKENS = 32;

function notice(first: ViewExchange, last: ViewExchange): Edit {
  const handle = spanHandle(first.fromId, last.toId);
  const replacement: Message = {
    id: `notice:${handle}`,
    role: 'assistant',
    origin: 'synthetic',
    label: 'notice',
    parts: [{ type: 'text', text: `[Earlier messages left out so that the request fits; recall ${handle}]` }],
  };
  const reason = 'dropped, oldest first: everything cheaper had been tried';
  return { kind: 'supersede', fromId: first.fromId, toId: last.toId, replacement: [replacement], reason };
}

function freshOf(view: TranscriptView): Cuttable[] {
  return view.exchanges.filter((exchange) => exchange.unseen && !exchange.protection).flatMap(cuttables);
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
      return { shown, partIndex, part, tokens, originalTokens: source.size.parts[partIndex]!.tokens };
    });
  });
}

function cutToTotal(items: readonly Cuttable[], allowance: number, count: Count, reason: string): Edit[] {
  const level = levelFor(
    items.map(({ tokens }) => tokens),
    allowance,
  );
  return items
    .filter(({ tokens }) => tokens > level)
    .map((item) => cut(item, Math.max(level, SMALLEST_RESULT), count, reason));
}

function cut(item: Cuttable, maxTokens: number, count: Count, reason: string): Replace {
  const { shown, partIndex, part, originalTokens } = item;
  const messageId = shown.source!.id;
  const handle = partHandle(messageId, partIndex);
  const text =
    part.type === 'tool-call'
      ? cutArguments(part.arguments, { maxTokens, count, handle, knownTokens: originalTokens })
      : cutText(textOf(part), { maxTokens, count, handle, knownTokens: originalTokens });
  return { kind: 'replace', messageId, partIndex, content: [{ type: 'text', text }], reason };
}
