import {
  defineStage,
  shownParts,
  blocksOf,
  outlineOf,
  runsOf,
  spanOf,
  supersedeBy,
  type Block,
  type StageGoal,
  type Supersede,
  type TranscriptView,
  type ViewExchange,
  grouped,
  isSettled,
  partHandle,
  type Edit,
  type FilePart,
  type Part,
  type Replace,
  type ShownPart,
  type TextPart,
  proseOf,
} from '../../spi/index.js';
import { argumentEdits } from './arguments.js';
import { needOf, type Need, NOTHING, type SnipEdits } from './need.js';
import { SnipOptions } from './options.js';
import { resultEdits } from './results.js';

/** Takes out what nothing needs any more, cheapest loss first, oldest first, until enough is reclaimed. */
export const snip = defineStage<SnipOptions>({
  name: 'snip',
  summary:
    'Takes out tool results nothing later refers to, stale reads, duplicates and large call arguments.',
  options: SnipOptions,
  *plan(view, goal) {
    const { classes, arguments: trimming, minimumSavings } = goal.options;
    const need = needOf(goal);
    // What is remembered of messages is asked for here, message by message.
    for (const { messages } of view.exchanges) {
      messages.forEach(shownParts);
      yield;
    }
    const dialogue = dialogueEdits(view, goal, need);
    yield;
    const duplicates = classes.includes('duplicates') ? duplicateEdits(view, need, dialogue.gone) : [];
    const results = yield* resultEdits(view, goal, need);
    yield;
    const gone = new Set([...dialogue.gone, ...results.gone]);
    const media = classes.includes('media') ? mediaEdits(view, need, gone, results.edits) : [];
    yield;
    const trims =
      classes.includes('arguments') && trimming.mode === 'on'
        ? yield* argumentEdits(view, goal, need, results.gone)
        : [];
    if (need.saved < minimumSavings && !need.savedBeside) return { edits: [] };
    return { edits: [...duplicates, ...dialogue.edits, ...results.edits, ...media, ...trims] };
  },
  asPass: (kind, options) =>
    kind === 'trim'
      ? { ...options, classes: ['duplicates'], minimumSavings: 0, dialogue: {} }
      : { ...options, classes: options.classes.filter((name) => name !== 'duplicates'), mode: 'stub' },
});

/** An outline of dialogue may take so much of it. */
const OUTLINE_SHARE = 0.3;
const MIN_TOKENS = 30;

/** Plain messages that have left the window, each run of them for an outline. A policy: holds whatever is needed. */
function dialogueEdits(view: TranscriptView, goal: StageGoal<SnipOptions>, need: Need): SnipEdits {
  const { turns, tokens } = goal.options.dialogue;
  if (turns === undefined && tokens === undefined) return NOTHING;
  const outside = outsideWindow(view, turns ?? Infinity, tokens ?? Infinity);
  const runs = runsOf(blocksOf(view), (block) => isDialogue(block, outside));
  const edits: Supersede[] = [];
  const gone = new Set<ViewExchange>();
  for (const run of runs) {
    const edit = outlined(view, goal, run, need);
    if (!edit) continue;
    edits.push(edit);
    for (const block of run) for (const exchange of block.exchanges) gone.add(exchange);
  }
  return { edits, gone };
}

function outsideWindow(view: TranscriptView, turns: number, tokens: number): ReadonlySet<ViewExchange> {
  const outside = new Set<ViewExchange>();
  let newer = 0;
  for (const exchange of [...view.exchanges].reverse()) {
    if (exchange.kind !== 'plain') continue;
    newer += exchange.tokens;
    if (exchange.turnsAgo >= turns || newer > tokens) outside.add(exchange);
  }
  return outside;
}

/** An earlier outline takes part, so that a window that moves on leaves one outline and not a row of them. */
function isDialogue(block: Block, outside: ReadonlySet<ViewExchange>): boolean {
  const [exchange] = block.exchanges;
  if (!exchange || block.barred || block.pinned || block.exchanges.length > 1) return false;
  const isOutline = exchange.kind === 'replacement' && exchange.messages[0]!.message.label === 'summary';
  const { role } = exchange.messages[0]!.message;
  return isOutline || (outside.has(exchange) && role !== 'system');
}

function outlined(
  view: TranscriptView,
  goal: StageGoal,
  run: readonly Block[],
  need: Need,
): Supersede | undefined {
  const span = spanOf(run);
  if (span.exchanges.every((exchange) => exchange.kind === 'replacement')) return undefined;
  const maxTokens = Math.min(
    goal.summaryTokens,
    Math.max(MIN_TOKENS, Math.floor(OUTLINE_SHARE * span.tokens)),
  );
  const { message, tokens } = outlineOf(view, span, 'summary', { maxTokens, count: goal.count });
  const saved = span.tokens - tokens;
  if (saved <= 0) return undefined;
  need.take(saved, 0);
  return supersedeBy(span, [message], `${span.messages} messages left the dialogue window`);
}

/** Images and files of earlier turns, oldest first: their bytes travel with every request, and few are looked at twice. */
function mediaEdits(
  view: TranscriptView,
  need: Need,
  gone: SnipEdits['gone'],
  taken: readonly Edit[],
): Replace[] {
  const takenParts = new Set(
    taken.flatMap((edit) => (edit.kind === 'replace' ? [partHandle(edit.messageId, edit.partIndex)] : [])),
  );
  const edits: Replace[] = [];
  for (const exchange of view.exchanges) {
    if (exchange.protection || exchange.unseen || exchange.turnsAgo < 1 || gone.has(exchange)) continue;
    for (const message of exchange.messages) {
      for (const part of shownParts(message)) {
        if (!need.isOpen) return edits;
        const content = withoutMedia(part, view.mark);
        if (!content || takenParts.has(part.handle)) continue;
        const { bytes, images } = mediaOf(part.original);
        const reason = 'media of an earlier turn';
        edits.push({ kind: 'replace', messageId: part.source.id, partIndex: part.index, content, reason });
        need.takeMedia(Math.max(0, part.tokens - PLACEHOLDER_TOKENS), bytes, images);
      }
    }
  }
  return edits;
}

/** What a placeholder takes, about: what is booked as saved must not be more than was. */
const PLACEHOLDER_TOKENS = 30;

/** What stands where the part stood; undefined where it holds no media, or was compacted before. */
function withoutMedia(part: ShownPart, mark: TranscriptView['mark']): Part[] | undefined {
  const { original, handle } = part;
  if (part.mark) return undefined;
  if (original.type === 'file') return [placeholder(original, mark(handle))];
  if (original.type !== 'tool-result' || isSettled(part)) return undefined;
  if (!original.content.some((inner) => inner.type === 'file')) return undefined;
  return original.content.map((inner) => (inner.type === 'file' ? placeholder(inner, mark(handle)) : inner));
}

function placeholder({ mediaType, bytes, name }: FilePart, handle: string): TextPart {
  const what = name === undefined ? mediaType : `${mediaType} ${name}`;
  return { type: 'text', text: `[${what}, ${grouped(bytes)} bytes, left out; ${handle}]` };
}

function mediaOf(part: Part): { bytes: number; images: number } {
  const files =
    part.type === 'file' ? [part] : part.type === 'tool-result' ? part.content.filter(isFile) : [];
  return {
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    images: files.filter(({ mediaType }) => mediaType.startsWith('image/')).length,
  };
}

function isFile(part: Part): part is FilePart {
  return part.type === 'file';
}

/** Synthetic messages that say word for word what a newer one says: reminders, status notes. The newest stays. */
function duplicateEdits(view: TranscriptView, need: Need, gone: SnipEdits['gone']): Supersede[] {
  const newest = new Map<string, number>();
  for (const exchange of view.exchanges) {
    const text = syntheticText(exchange);
    if (text !== undefined) newest.set(text, exchange.index);
  }
  const edits: Supersede[] = [];
  for (const exchange of view.exchanges) {
    if (!need.viewTooLarge) break;
    if (exchange.protection || exchange.unseen || gone.has(exchange)) continue;
    const text = syntheticText(exchange);
    if (text === undefined || newest.get(text) === exchange.index) continue;
    edits.push(supersedeBy(exchange, [], 'a newer synthetic message says the same'));
    need.take(exchange.tokens, 0);
  }
  return edits;
}

/** The words of a message a program put in; undefined for all others. */
function syntheticText({ kind, messages }: TranscriptView['exchanges'][number]): string | undefined {
  const message = messages[0]!.message;
  if (kind !== 'plain' || message.origin !== 'synthetic') return undefined;
  if (!message.parts.every((part) => part.type === 'text')) return undefined;
  const text = proseOf(message);
  return text === '' ? undefined : `${message.role}:${text}`;
}
