import { SpillwayError } from '../../errors/index.js';
import {
  appendedAt,
  Ledger,
  Log,
  renderAll,
  textOf,
  endsOf,
  type CompactionRecord,
  type EditMark,
  type LogMessage,
  type Message,
  type ReadonlyLog,
  type ViewMessage,
} from '../../transcript/index.js';
import type { CallRecord } from '../calls.js';
import { pinPredicate, type PinRules } from '../pins.js';
import type { Thread } from '../thread.js';

/** The state of one message of the log in the view. */
export interface Disposition {
  readonly id: string;
  readonly seq: number;
  readonly role: string;
  readonly status: 'kept' | 'pinned' | 'replaced' | 'superseded';
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** The stage that changed the message, and why; absent if it is unchanged. */
  readonly by?: EditMark;
}

const RECALLED_MARK: EditMark = {
  stage: 'recall',
  reason: 'the messages before it quote content that had left the view',
};

/** For every message of the log: kept, replaced, superseded or pinned, by which stage and why. Walks the whole log. */
export function explainView(
  log: ReadonlyLog,
  view: readonly ViewMessage[],
  isPinned: (message: LogMessage) => boolean,
): Disposition[] {
  const shownAt = new Map<number, ViewMessage>();
  const spans: ViewMessage[] = [];
  for (const shown of view) {
    if (shown.source) shownAt.set(shown.from, shown);
    else if (spans.at(-1)?.from !== shown.from) spans.push(shown);
  }
  let next = 0;
  return Array.from({ length: log.length }, (_, seq): Disposition => {
    const message = log.at(seq);
    const common = { id: message.id, seq, role: message.role, tokensBefore: message.size.tokens };
    const shown = shownAt.get(seq);
    if (!shown) {
      while (next + 1 < spans.length && spans[next]!.to < seq) next++;
      const span = spans[next];
      const by = span && span.from <= seq && seq <= span.to ? span.made : undefined;
      return { ...common, status: 'superseded', tokensAfter: 0, ...(by && { by }) };
    }
    const tokensAfter = shown.size.tokens;
    const mark = shown.replaced && [...shown.replaced.values()][0];
    if (mark)
      return { ...common, status: 'replaced', tokensAfter, by: { stage: mark.stage, reason: mark.reason } };
    const status = isPinned(message) ? 'pinned' : 'kept';
    const isBack = message.label === 'recalled';
    return { ...common, status, tokensAfter, ...(isBack && { by: RECALLED_MARK }) };
  });
}

/** The request of one call, message by message, rendered again from the log and ledger of that time. */
export interface ExplainedCall {
  readonly call: CallRecord;
  readonly messages: readonly ExplainedMessage[];
  /** The view that was sent. Content that hooks injected is not kept. */
  readonly view: readonly ViewMessage[];
}

export interface ExplainedMessage extends Disposition {
  /** The record that changed the message; absent if the message was sent unchanged. */
  readonly record?: string;
  /** The oldest record in force that reaches the message: undoing it and all later ones restores the message. */
  readonly since?: string;
}

/** Whether words reached the model in a call, and if not, why. */
export interface Finding {
  /**
   * `sent`: the words were in the request, so the model had them and did not use them. `compacted-out`: they were in
   * the log, but not in the request. `later`: they entered the log after the request. `never`: they are not in the log.
   */
  readonly verdict: 'sent' | 'compacted-out' | 'later' | 'never';
  readonly call: CallRecord;
  /** Messages of the log that contain the words, oldest first. */
  readonly said: readonly ExplainedMessage[];
  /** Messages of the request that contain the words: originals or their replacements. */
  readonly sentIn: readonly string[];
}

/** Throws `CALL_UNKNOWN`. */
export function explainCall(
  call: CallRecord | undefined,
  number: number,
  thread: Thread,
  pins: PinRules,
): ExplainedCall {
  const state = call && stateAt(call, thread);
  if (!state) {
    throw new SpillwayError('CALL_UNKNOWN', {
      ...(number === 0 ? { subject: 'no call was observed yet' } : { subject: 'call', found: number }),
      remedy: call
        ? 'It was prepared on what is not stored, or not read here yet: load the session once its store answers.'
        : 'Name a call that was prepared and, in a session opened again, observed; they count from 1.',
    });
  }
  const { log, ledger } = state;
  const isPinned = pinPredicate(pins, log);
  const { view } = renderAll(log, ledger.liveEdits, isPinned);
  const messages = withRecords(explainView(log, view, isPinned), ledger.live, log);
  return { call, messages, view };
}

/** Adds the newest record with an edit of that stage on the message, and the oldest record with any edit on it. */
export function withRecords(
  dispositions: readonly Disposition[],
  live: readonly CompactionRecord[],
  log: ReadonlyLog,
): ExplainedMessage[] {
  const reach = live.flatMap(({ id, plan }) =>
    plan.edits.map((edit) => {
      const [from, to] = endsOf(edit);
      return { id, stage: edit.stage, from: log.find(from)!.seq, to: log.find(to)!.seq };
    }),
  );
  return dispositions.map((one) => {
    if (!one.by) return one;
    const reaching = reach.filter(({ from, to }) => from <= one.seq && one.seq <= to);
    const made = reaching.findLast(({ stage }) => stage === one.by?.stage);
    return made ? { ...one, record: made.id, since: reaching[0]!.id } : one;
  });
}

export function findIn(explained: ExplainedCall, words: string, thread: Thread): Finding {
  const { call, messages, view } = explained;
  // Ignores case, because the exact spelling is seldom known.
  const wanted = words.toLowerCase();
  const holds = (message: Message): boolean =>
    textsOf(message).some((text) => text.toLowerCase().includes(wanted));
  const past = stateAt(call, thread)!.log;
  const said = messages.filter(({ seq }) => holds(past.at(seq)));
  const sentIn = view.filter(({ message }) => holds(message)).map(({ message }) => message.id);
  const later = (): boolean => {
    for (let seq = 0; seq < thread.log.length; seq++) if (holds(thread.log.at(seq))) return true;
    return false;
  };
  const verdict =
    sentIn.length > 0 ? 'sent' : said.length > 0 ? 'compacted-out' : later() ? 'later' : 'never';
  return { verdict, call, said, sentIn };
}

/**
 * Log and ledger at the time when a call was prepared. Undefined if the call had messages or events that are not known
 * here, or was prepared while the store was unavailable and other processes stored different messages meanwhile.
 */
function stateAt(
  call: CallRecord,
  thread: Thread,
): { readonly log: Log; readonly ledger: Ledger } | undefined {
  const known = appendedAt(thread.log.length, thread.ledger.left);
  if (call.events > thread.ledger.version || call.appended > known) return undefined;
  const ledger = Ledger.of(thread.ledger.events.slice(0, call.events));
  const left = new Map([...thread.log.left].map(({ message, place }) => [place, message]));
  const log = new Log();
  let next = 0;
  for (let place = 0; place < call.appended; place++) {
    const message: LogMessage = left.get(place) ?? thread.log.at(next++);
    const isGone = ledger.left.some(({ at, count }) => place >= at && place < at + count);
    if (!isGone) log.append(message, message.size);
  }
  const isWhole = ledger.liveEdits.every((edit) => endsOf(edit).every((id) => log.find(id)));
  return isWhole ? { log, ledger } : undefined;
}

function textsOf({ parts }: Message): readonly string[] {
  return parts.map((part) => (part.type === 'tool-call' ? `${part.name} ${part.arguments}` : textOf(part)));
}

/** One message of the transcript for an operator. */
export interface TranscriptEntry {
  readonly message: Message;
  /** `summary`: the message replaces others. `rolled-back`: the message is no longer part of the log. */
  readonly status: Disposition['status'] | 'summary' | 'rolled-back';
  readonly by?: EditMark;
}

/**
 * The view in its order. With superseded messages, each comes before its replacement, and rolled-back messages come
 * last; changed messages are then shown in their original form, otherwise as they are sent.
 */
export function transcriptOf(
  { log, projection }: Thread,
  dispositions: readonly Disposition[],
  includeSuperseded: boolean,
): readonly TranscriptEntry[] {
  const entries: TranscriptEntry[] = [];
  let next = 0;
  const originalsUpTo = (end: number): void => {
    for (; next < end; next++) {
      const { status, by } = dispositions[next]!;
      if (status === 'superseded') entries.push({ message: log.at(next), status, ...(by && { by }) });
    }
  };
  for (const shown of projection.view) {
    if (includeSuperseded) originalsUpTo(shown.source ? shown.from : shown.to + 1);
    if (shown.source) {
      const { status, by } = dispositions[shown.from]!;
      const message = includeSuperseded ? shown.source : shown.message;
      entries.push({ message, status, ...(by && { by }) });
    } else entries.push({ message: shown.message, status: 'summary', ...(shown.made && { by: shown.made }) });
  }
  if (!includeSuperseded) return entries;
  originalsUpTo(log.length);
  for (const { message } of log.left) entries.push({ message, status: 'rolled-back' });
  return entries;
}
