import { CALL_TOKENS } from '../tokens/index.js';
import { cutArguments, cutText, levelFor, type CutRequest } from '../text/digest/index.js';
import {
  blocksOf,
  replaceBy,
  shownParts,
  standIn,
  supersedeBy,
  type ShownPart,
  type TranscriptView,
  type ViewExchange,
} from '../spi/index.js';
import {
  spanHandle,
  textOf,
  type Edit,
  type FilePart,
  type Mark,
  type Part,
  type Replace,
  type Size,
} from '../transcript/index.js';
import { SMALLEST_RESULT } from './floor.js';
import type { GuardRights } from './guard.js';

/**
 * Rights of the pipeline's own steps, by which a request always fits: cutting to size and dropping the oldest. A tool
 * result in the same message as a user's text is not the user's text.
 */
export const FIT_RIGHTS: GuardRights = {
  mayCut: (protection, part) =>
    protection === 'pinned' || (protection === 'unanswered' && part.type === 'tool-result'),
};

type Count = (text: string) => number;

/** Pins over their share: the largest are cut to a common level, so that small ones stay whole. */
export function cutPins(view: TranscriptView, allowance: number, count: Count): Edit[] {
  const texts = pinnedParts(view).filter((part) => part.original.type === 'text' || isResult(part));
  return cutToTotal(view, texts, allowance, count, 'pins are over their share of the budget');
}

/** Fresh results over their share: cut to a common level before any stage opens, because no stage may change them. */
export function cutFreshResults(view: TranscriptView, allowance: number, count: Count): Edit[] {
  const fresh = freshResults(view);
  return cutToTotal(view, fresh, allowance, count, 'fresh results are over their share of the budget');
}

/** The last resort: cuts fresh results and the arguments of their calls to any size that fits. */
export function shrinkFresh(view: TranscriptView, need: number, count: Count): Edit[] {
  const fresh = view.exchanges
    .filter(isFresh)
    .flatMap((exchange) =>
      partsOf(exchange).filter(
        (part) => isResult(part) || (part.original.type === 'tool-call' && !exchange.protection),
      ),
    );
  const total = fresh.reduce((sum, { tokens }) => sum + tokens, 0);
  return cutToTotal(view, fresh, total - need, count, 'nothing else is left to take out');
}

/**
 * Supersedes the oldest unprotected exchanges until the need is met; pins among them remain as holes. Exchanges that
 * extend over each other go together or not at all. `isKept`: further exchanges that stay.
 */
export function dropOldest(
  view: TranscriptView,
  need: Size,
  count: Count,
  isKept: (exchange: ViewExchange) => boolean = () => false,
): Edit[] {
  const edits: Edit[] = [];
  let run: ViewExchange[] = [];
  let tokens = 0;
  let freed = 0;
  const freedMedia = { bytes: 0, images: 0 };
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
  const blocks = blocksOf(view);
  // The session's first user message, if pinned, stays in front of the notice about the messages after it.
  const request = blocks.find(
    ({ pinned, exchanges }) => pinned && exchanges[0]!.messages[0]?.message.role === 'user',
  );
  for (const block of blocks) {
    if (block === request || block.barred || block.exchanges.some(isKept)) {
      close();
      continue;
    }
    run.push(...block.exchanges);
    tokens += block.tokens;
    for (const exchange of block.exchanges) {
      if (exchange.protection === 'pinned') continue;
      for (const { size } of exchange.messages) {
        freedMedia.bytes += size.bytes;
        freedMedia.images += size.images;
      }
    }
    if (freedMedia.bytes < need.bytes || freedMedia.images < need.images) continue;
    if (freed + tokens >= need.tokens && freed + (offer()?.gain ?? 0) >= need.tokens) break;
  }
  close();
  return edits;
}

/** Whether an exchange is the summary of a span. */
export const isSummary = ({ kind, messages }: ViewExchange): boolean =>
  kind === 'replacement' && messages.some(({ message }) => message.label === 'summary');

/** Approximate tokens of a message beyond its text. A notice refused for a single token would free nothing. */
export const FRAME_TOKENS = 8;

function notice(
  first: ViewExchange,
  last: ViewExchange,
  mark: Mark,
  count: Count,
): { edit: Edit; cost: number } {
  const handle = spanHandle(first.fromId, last.toId);
  const text = `[Earlier messages left out so that the request fits; ${mark(handle)}]`;
  const reason = 'dropped, oldest first: everything cheaper had been tried';
  const span = { fromId: first.fromId, toId: last.toId };
  const edit = supersedeBy(span, [standIn('notice', handle, text)], reason);
  return { edit, cost: count(text) + FRAME_TOKENS };
}

/** New since the last request. Results next to a user's text may be cut as well. */
const isFresh = ({ unseen, protection }: ViewExchange): boolean =>
  unseen && (!protection || protection === 'unanswered');

export const freshResults = ({ exchanges }: TranscriptView): ShownPart[] =>
  exchanges.filter(isFresh).flatMap(partsOf).filter(isResult);

export const pinnedParts = ({ exchanges }: TranscriptView): ShownPart[] =>
  exchanges.filter(({ protection }) => protection === 'pinned').flatMap(partsOf);

const partsOf = ({ messages }: ViewExchange): ShownPart[] => messages.flatMap(shownParts);

const isResult = ({ original }: ShownPart): boolean => original.type === 'tool-result';

function cutToTotal(
  { mark }: TranscriptView,
  items: readonly ShownPart[],
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

function cut(item: ShownPart, maxTokens: number, mark: Mark, count: Count, reason: string): Replace {
  const { source, index, original } = item;
  const knownTokens = source.size.parts[index]!.tokens;
  // The call's own overhead stays; the cut applies to its arguments.
  const overhead = original.type === 'tool-call' ? CALL_TOKENS + count(original.name) : 0;
  const request = { maxTokens: maxTokens - overhead, count, handle: mark(item.handle), knownTokens };
  const text =
    original.type === 'tool-call'
      ? cutArguments(original.arguments, request)
      : isResult(item) && filesOf(original).length > 0
        ? cutWithFiles(original, request)
        : cutText(textOf(original), request);
  return replaceBy(item, text, reason);
}

/** Files cannot be made smaller: a line replaces them, and the text stays whole if there is room for both. */
function cutWithFiles(part: Part, { maxTokens, count, handle }: CutRequest): string {
  const fullText = textWithoutFiles(part, handle);
  if (count(fullText) <= maxTokens) return fullText;
  // The text is cut even if it alone would fit, because the line with the handle has to be part of it.
  const text = textOf(part);
  const knownTokens = count(text);
  return cutText(text, { maxTokens: Math.min(maxTokens, knownTokens - 1), count, handle, knownTokens });
}

/** The replacement for a part without its files: the text of a result, whole, and then the line. */
export function textWithoutFiles(part: Part, handle: string): string {
  const count = filesOf(part).length;
  const text = textOf(part).trimEnd();
  return `${text}${text === '' ? '' : '\n'}[${count} file${count === 1 ? '' : 's'} left out; ${handle}]`;
}

export function filesOf(part: Part): readonly FilePart[] {
  if (part.type === 'file') return [part];
  return part.type === 'tool-result' ? part.content.flatMap(filesOf) : [];
}
