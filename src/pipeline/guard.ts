import { remembered, shownParts } from '../spi/index.js';
import type { Protection, TranscriptView, ViewExchange, SignatureBinding } from '../spi/index.js';
import {
  isSigned,
  isToolCall,
  objectIn,
  partHandle,
  type Edit,
  type EditFault,
  type EditRule,
  type LogMessage,
  type Part,
  type PlannedEdit,
  type ReadonlyLog,
  type Replace,
  type Size,
  type Supersede,
  type ViewMessage,
} from '../transcript/index.js';
import { sizeOf } from './measure.js';
import { openLoopFrom } from './reasoning-rule.js';
import { isReminder } from './reminders.js';
import { createSpanFinder, type SpanFinder } from './view.js';
import { contentText, cutsToSize, isLegalContent, isHumanText, isLegalReplacement } from './wording.js';

/**
 * The only judge of edits that `readEdit` accepted: of place and wording before measuring (`judgePlace`), of gain after
 * measuring (`judgeGain`). A fault is a value: it is attributed to the stage and has no other effect. Only an edit that
 * passes both checks can block later edits of the same proposal.
 */
export interface Guard {
  judgePlace(edit: Edit): EditFault | undefined;
  judgeGain(edit: PlannedEdit): EditFault | undefined;
}

/** Rights that the pipeline has and a stage has not. `mayCut`: whether a protected part may be cut to size. */
export interface GuardRights {
  mayCut?(protection: Protection, part: Part): boolean;
  /** Whether signed reasoning may be removed from any message, because content before it changed. */
  readonly mayStrip?: boolean;
  /** Whether a span may be a single reminder, which is a pin. */
  readonly mayRelease?: boolean;
  /** Whether an edit may enlarge the view: carried text uses the room that the run has freed. */
  readonly mayGrow?: boolean;
  /** Edits extend an existing replacement: its stage and reason stay those of the edit that superseded the span. */
  readonly keepsMark?: boolean;
}

/** Rights for carried texts, and for digests that get back text they had no room for: the run has made room. */
export const EXTENDING_RIGHTS: GuardRights = { mayGrow: true, keepsMark: true };

interface ViewIndex {
  /** Messages by log position, with their exchanges; `replacements` has those by the ids of their messages. */
  readonly bySeq: ReadonlyMap<number, { readonly exchange: ViewExchange; readonly shown: ViewMessage }>;
  readonly replacements: ReadonlyMap<string, ViewExchange>;
  readonly within: SpanFinder;
}

/** Remembered by view, because the next step gets the same view if a step changes nothing. */
const indexOf = remembered((view: TranscriptView): ViewIndex => {
  const bySeq = new Map<number, { exchange: ViewExchange; shown: ViewMessage }>();
  const replacements = new Map<string, ViewExchange>();
  for (const exchange of view.exchanges) {
    for (const shown of exchange.messages) {
      if (exchange.kind === 'replacement') replacements.set(shown.message.id, exchange);
      else bySeq.set(shown.from, { exchange, shown });
    }
  }
  return { bySeq, replacements, within: createSpanFinder(view) };
});

/** Judges edits against one view. Each proposal has its own guard: its edits must not touch the same messages. */
export function createGuard(
  view: TranscriptView,
  log: ReadonlyLog,
  rights: GuardRights = {},
  binding: SignatureBinding = 'nothing',
): Guard {
  const index = indexOf(view);
  /** Targets of the accepted edits of this proposal: parts, their exchanges, superseded exchanges, new ids. */
  const replaced = new Set<string>();
  const touched = new Set<ViewExchange>();
  const superseded = new Set<ViewExchange>();
  const newIds = new Set<string>();
  let loopFrom: number | undefined;

  function judgePlace(edit: Edit): EditFault | undefined {
    return edit.kind === 'replace' ? judgeReplace(edit) : judgeSupersede(edit);
  }

  function judgeGain(edit: PlannedEdit): EditFault | undefined {
    const span = edit.kind === 'supersede' ? withinEdit(edit).filter(mayGo) : [];
    const before = edit.kind === 'replace' ? shownSize(edit, index, log) : spanSize(span);
    const after = sizeOf(edit);
    const smaller =
      after.tokens < before.tokens || (after.tokens <= before.tokens && after.bytes < before.bytes);
    if (!smaller && rights.mayGrow !== true)
      return fault(edit, 'gain', `would not shrink the view (${before.tokens} to ${after.tokens} tokens)`);
    recordTargets(edit, span);
    return undefined;
  }

  function judgeReplace(edit: Replace): EditFault | undefined {
    const { messageId, partIndex } = edit;
    const source = log.find(messageId);
    if (!source) return fault(edit, 'in-view', `names message ${messageId}, which is not in the log`);
    const exchange = index.bySeq.get(source.seq)?.exchange;
    if (!exchange) return fault(edit, 'in-view', `edits ${messageId}, which is already superseded`);
    const part = source.parts[partIndex];
    if (!part)
      return fault(
        edit,
        'in-view',
        `edits part ${partIndex} of ${messageId}, which has ${source.parts.length}`,
      );
    const key = partHandle(messageId, partIndex);
    if (replaced.has(key)) return fault(edit, 'overlap', `edits ${key} twice`);
    if (superseded.has(exchange)) return fault(edit, 'overlap', 'overlaps another edit of the same proposal');
    const isCut = cutsToSize(edit, part);
    const strips = rights.mayStrip === true && part.type === 'reasoning';
    const allowed = exchange.protection && ((rights.mayCut?.(exchange.protection, part) && isCut) || strips);
    if (exchange.protection && !allowed)
      return fault(edit, 'protected', `edits ${messageId}, which is ${exchange.protection}`);
    const thought = judgeThought(source, part, edit);
    if (thought) return thought;
    if (!isLegalContent(part, edit.content))
      return fault(edit, 'content', `replaces ${key}, a ${part.type}, by content that cannot replace it`);
    if (source.seq >= log.unseenFrom && part.type !== 'tool-call' && !isCut && !strips)
      return fault(
        edit,
        'unseen',
        `replaces ${key} before any request has carried it; it may only be cut to size`,
      );
    if (isHumanText(source, part) && !isCut)
      return fault(
        edit,
        'content',
        `puts other words into the mouth of the ${source.role}; they may only be cut to size`,
      );
    if (part.type === 'tool-call' && objectIn(part.arguments) && !objectIn(contentText(edit)))
      return fault(edit, 'content', `leaves the arguments of ${key} no JSON object`);
    return undefined;
  }

  /**
   * Reasoning proves the loop that contains it, the calls that it led to, and sometimes the text of its own step.
   * Invalid reasoning may be removed.
   */
  function judgeThought(source: LogMessage, part: Part, edit: Replace): EditFault | undefined {
    const key = partHandle(edit.messageId, edit.partIndex);
    const isOfLoop = part.type === 'reasoning' && source.seq >= (loopFrom ??= openLoopFrom(log));
    if (isOfLoop && rights.mayStrip !== true)
      return fault(edit, 'reasoning', `touches ${key}, reasoning of the open tool loop`);
    if (part.type === 'reasoning' && part.signature === undefined && source.parts.some(isToolCall))
      return fault(edit, 'reasoning', `touches ${key}, reasoning that must be sent with the calls it led to`);
    if (part.type === 'reasoning' && rights.mayStrip === true) return undefined;
    const signed = source.parts.some(isSigned);
    if (binding === 'step' && signed && part.type !== 'tool-result')
      return fault(edit, 'reasoning', `touches ${key}, in a step whose signature vouches for it`);
    return undefined;
  }

  function judgeSupersede(edit: Supersede): EditFault | undefined {
    const from = log.find(edit.fromId)?.seq;
    const to = log.find(edit.toId)?.seq;
    if (from === undefined || to === undefined)
      return fault(edit, 'in-view', 'names a message that is not in the log');
    if (from > to) return fault(edit, 'in-view', 'ends before it begins');
    const span = within(from, to);
    for (const exchange of span) {
      if (exchange.from < from || exchange.to > to)
        return fault(edit, 'whole', `splits ${exchange.fromId}..${exchange.toId}`);
      if (exchange.protection && exchange.protection !== 'pinned')
        return fault(edit, 'protected', `covers ${exchange.fromId}, which is ${exchange.protection}`);
      if (exchange.unseen && !exchange.protection)
        return fault(edit, 'unseen', `covers ${exchange.fromId}, which is unseen`);
      if (superseded.has(exchange) || (touched.has(exchange) && !exchange.protection))
        return fault(edit, 'overlap', 'overlaps another edit of the same proposal');
    }
    // Otherwise the span would begin or end inside an empty replacement: supersedes nest or are disjoint.
    if (!span.some((exchange) => exchange.from === from) || !span.some((exchange) => exchange.to === to))
      return fault(edit, 'in-view', 'begins or ends at a message that is not in view');
    const illegal = edit.replacement.find((message) => !isLegalReplacement(message, span));
    if (illegal)
      return fault(
        edit,
        'replacement',
        `replaces a span by a ${illegal.role} message that is not allowed there: words of another role, calls of tools, or a file without its bytes`,
      );
    const ids = edit.replacement.map((message) => message.id);
    const isTaken = (id: string, i: number): boolean => {
      const other = index.replacements.get(id);
      return !!log.find(id) || newIds.has(id) || ids.indexOf(id) < i || (!!other && !span.includes(other));
    };
    const known = ids.find(isTaken);
    if (known !== undefined)
      return fault(edit, 'replacement', `gives a replacement the id ${known}, which is taken`);
    return undefined;
  }

  function recordTargets(edit: PlannedEdit, span: readonly ViewExchange[]): void {
    if (edit.kind === 'replace') {
      replaced.add(partHandle(edit.messageId, edit.partIndex));
      touched.add(index.bySeq.get(log.find(edit.messageId)!.seq)!.exchange);
      return;
    }
    for (const exchange of span) superseded.add(exchange);
    for (const message of edit.replacement) newIds.add(message.id);
  }

  function withinEdit({ fromId, toId }: Supersede): readonly ViewExchange[] {
    return within(log.find(fromId)!.seq, log.find(toId)!.seq);
  }

  /** A pin may be inside a span that was superseded around it. */
  function within(from: number, to: number): readonly ViewExchange[] {
    const only = from === to ? index.bySeq.get(from)?.exchange : undefined;
    return only && canRelease(only) ? [only] : index.within(from, to);
  }

  const canRelease = (exchange: ViewExchange): boolean => rights.mayRelease === true && isReminder(exchange);
  const mayGo = (exchange: ViewExchange): boolean => exchange.protection !== 'pinned' || canRelease(exchange);

  return { judgePlace, judgeGain };
}

function fault(edit: Edit, breaks: EditRule, what: string): EditFault {
  return { code: 'EDIT_ILLEGAL', breaks, message: `${edit.kind} ${what}` };
}

/** Size in the view of a source part, which may have become several parts. */
function shownSize({ messageId, partIndex }: Replace, index: ViewIndex, log: ReadonlyLog): SizeOfText {
  return shownParts(index.bySeq.get(log.find(messageId)!.seq)!.shown)[partIndex]!;
}

type SizeOfText = Pick<Size, 'tokens' | 'bytes'>;

function spanSize(span: readonly ViewExchange[]): SizeOfText {
  return {
    tokens: span.reduce((sum, { tokens }) => sum + tokens, 0),
    // Bytes are summed over messages, which outnumber exchanges, so only if tokens alone do not decide.
    get bytes() {
      return span.flatMap(({ messages }) => messages).reduce((sum, { size }) => sum + size.bytes, 0);
    },
  };
}
