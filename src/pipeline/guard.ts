import type { Protection, TranscriptView, ViewExchange } from '../spi/index.js';
import {
  textOf,
  type Edit,
  type EditFault,
  type Message,
  type PlannedEdit,
  type ReadonlyLog,
  type Replace,
  type Supersede,
  type ViewMessage,
} from '../transcript/index.js';
import { sizeOf } from './measure.js';
import { createSpanFinder } from './spans.js';

/**
 * The one place where an edit is judged. Shape and place are judged before it is measured (`judgePlace`), its gain
 * after (`judgeGain`). A fault is a value: it is attributed to the stage and costs nothing else.
 */
export interface Guard {
  judgePlace(edit: Edit): EditFault | undefined;
  judgeGain(edit: PlannedEdit): EditFault | undefined;
}

/** What the pipeline itself may do and a stage may not: cut a pin or a fresh result to size. */
export interface GuardRights {
  readonly mayCut: ReadonlySet<Protection>;
}

const STAGE_RIGHTS: GuardRights = { mayCut: new Set() };

/** Judges edits against one view; edits of one proposal must not touch the same messages twice. */
export function createGuard(
  view: TranscriptView,
  log: ReadonlyLog,
  rights: GuardRights = STAGE_RIGHTS,
): Guard {
  const bySeq = new Map<number, ViewExchange>();
  for (const exchange of view.exchanges) {
    if (exchange.kind !== 'replacement')
      for (const shown of exchange.messages) bySeq.set(shown.from, exchange);
  }
  const within = createSpanFinder(view);
  const taken: [from: number, to: number][] = [];
  const replaced = new Set<string>();

  function judgeReplace(edit: Replace): EditFault | undefined {
    const source = log.find(edit.messageId);
    if (!source) return fault(edit, `names message ${edit.messageId}, which is not in the log`);
    const exchange = bySeq.get(source.seq);
    if (!exchange) return fault(edit, `edits ${edit.messageId}, which is already superseded`);
    const part = source.parts[edit.partIndex];
    if (!part)
      return fault(
        edit,
        `edits part ${edit.partIndex} of ${edit.messageId}, which has ${source.parts.length}`,
      );
    const key = `${edit.messageId}#${edit.partIndex}`;
    if (replaced.has(key)) return fault(edit, `edits ${key} twice`);
    const isCut = cutsToSize(edit, textOf(part));
    if (exchange.protection && !(rights.mayCut.has(exchange.protection) && isCut)) {
      return fault(edit, `edits ${edit.messageId}, which is ${exchange.protection}`);
    }
    if (source.seq >= log.unseenFrom && part.type !== 'tool-call' && !isCut) {
      return fault(edit, `replaces ${key} before any request has carried it; it may only be cut to size`);
    }
    if (part.type === 'tool-call' && parses(part.arguments) && !parses(contentText(edit))) {
      return fault(edit, `leaves the arguments of ${key} no JSON object`);
    }
    replaced.add(key);
    return undefined;
  }

  function judgeSupersede(edit: Supersede): EditFault | undefined {
    const from = log.find(edit.fromId)?.seq;
    const to = log.find(edit.toId)?.seq;
    if (from === undefined || to === undefined) return fault(edit, 'names a message that is not in the log');
    if (from > to) return fault(edit, 'ends before it begins');
    if (taken.some(([a, b]) => from <= b && to >= a))
      return fault(edit, 'overlaps another edit of the same proposal');
    for (const exchange of within(from, to)) {
      if (exchange.from < from || exchange.to > to)
        return fault(edit, `splits ${exchange.fromId}..${exchange.toId}`);
      if (exchange.protection && exchange.protection !== 'pinned') {
        return fault(edit, `covers ${exchange.fromId}, which is ${exchange.protection}`);
      }
      if (exchange.unseen && !exchange.protection)
        return fault(edit, `covers ${exchange.fromId}, which is unseen`);
    }
    const spoken = edit.replacement.find((message) => !speaksLegally(message, within(from, to)));
    if (spoken) return fault(edit, `replaces a span by a ${spoken.role} message or by calls of tools`);
    const known = edit.replacement.find((message) => log.find(message.id));
    if (known) return fault(edit, `gives a replacement the id of log message ${known.id}`);
    taken.push([from, to]);
    return undefined;
  }

  return {
    judgePlace: (edit) =>
      !isEdit(edit)
        ? { code: 'EDIT_ILLEGAL', message: 'is no edit' }
        : edit.kind === 'replace'
          ? judgeReplace(edit)
          : judgeSupersede(edit),
    judgeGain: (edit) => {
      const before =
        edit.kind === 'replace'
          ? shownTokens(edit, bySeq, log)
          : spanSize(within(log.find(edit.fromId)!.seq, log.find(edit.toId)!.seq));
      const after = sizeOf(edit);
      const smaller =
        after.tokens < before.tokens || (after.tokens <= before.tokens && after.bytes < before.bytes);
      return smaller
        ? undefined
        : fault(edit, `would not shrink the view (${before.tokens} to ${after.tokens} tokens)`);
    },
  };
}

function fault(edit: Edit, what: string): EditFault {
  return { code: 'EDIT_ILLEGAL', message: `${edit.kind} ${what}` };
}

function isEdit(edit: unknown): edit is Edit {
  if (typeof edit !== 'object' || edit === null) return false;
  const { kind, content, replacement, partIndex } = edit as Partial<Replace & Supersede>;
  if ((kind as string) === 'replace') return Array.isArray(content) && Number.isInteger(partIndex);
  return (kind as string) === 'supersede' && Array.isArray(replacement);
}

/** A cut keeps the beginning and the end: what stands between is the visible line that says what is missing. */
function cutsToSize(edit: Replace, original: string): boolean {
  const text = contentText(edit);
  if (text.length >= original.length) return false;
  const head = text.slice(0, Math.min(16, Math.floor(text.length / 4)));
  return original.startsWith(head);
}

function contentText(edit: Replace): string {
  return edit.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

function parses(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** A replacement speaks as the assistant; a merge of neighbours may keep their role where it keeps their very words. */
function speaksLegally(message: Message, span: readonly ViewExchange[]): boolean {
  if (message.parts.some((part) => part.type === 'tool-call' || part.type === 'tool-result')) return false;
  if (message.role === 'assistant') return true;
  const words = new Set<string>();
  for (const exchange of span) {
    for (const shown of exchange.messages) {
      if (shown.message.role === message.role)
        for (const part of shown.message.parts) words.add(textOf(part));
    }
  }
  return message.parts.every((part) => words.has(textOf(part)));
}

function shownTokens(
  edit: Replace,
  bySeq: ReadonlyMap<number, ViewExchange>,
  log: ReadonlyLog,
): { tokens: number; bytes: number } {
  const seq = log.find(edit.messageId)!.seq;
  const shown = bySeq.get(seq)!.messages.find((message) => message.from === seq)!;
  return partSize(shown, edit.partIndex);
}

/** What a source part takes in the view now, however many parts it has become. */
function partSize(shown: ViewMessage, partIndex: number): { tokens: number; bytes: number } {
  let at = 0;
  for (let i = 0; i < partIndex; i++) at += shown.replaced?.get(i)?.length ?? 1;
  const length = shown.replaced?.get(partIndex)?.length ?? 1;
  return shown.size.parts
    .slice(at, at + length)
    .reduce((sum, size) => ({ tokens: sum.tokens + size.tokens, bytes: sum.bytes + size.bytes }), {
      tokens: 0,
      bytes: 0,
    });
}

function spanSize(span: readonly ViewExchange[]): { tokens: number; bytes: number } {
  let tokens = 0;
  let bytes = 0;
  for (const exchange of span) {
    if (exchange.protection === 'pinned') continue;
    tokens += exchange.tokens;
    for (const shown of exchange.messages) bytes += shown.size.bytes;
  }
  return { tokens, bytes };
}
