import { SpillwayError } from '../../errors/index.js';
import {
  Ledger,
  Log,
  renderAll,
  textOf,
  type CompactionRecord,
  type LogMessage,
  type Message,
  type ReadonlyLog,
  type ViewMessage,
} from '../../transcript/index.js';
import type { CallRecord } from '../calls.js';
import { explainView, type Disposition } from './explain.js';
import { pinPredicate, type PinRules } from '../pins.js';
import type { Thread } from '../thread.js';
import type { Claims, EndedClaim } from './claims.js';

/** What one call was sent, message by message, drawn again from log and ledger as they stood. */
export interface ExplainedCall {
  readonly call: CallRecord;
  readonly messages: readonly ExplainedMessage[];
  /** What was sent; what hooks injected is not kept. */
  readonly view: readonly ViewMessage[];
}

export interface ExplainedMessage extends Disposition {
  /** The compaction that was responsible; absent where the message was sent as it is. */
  readonly record?: string;
  /** The oldest one in force that reaches the message: undone with all after it, the message stands again. */
  readonly since?: string;
  /** What operators ended of what it says: these words are carried no more. */
  readonly endedClaims?: readonly EndedClaim[];
}

/** Whether words reached the model in a call, and if not, why. */
export interface Finding {
  /**
   * `sent`: the words stood in the request, so the model had them and did not use them. `compacted-out`: they had been
   * said, and were not in the request. `later`: they were said after it. `never`: nobody said them.
   */
  readonly verdict: 'sent' | 'compacted-out' | 'later' | 'never';
  readonly call: CallRecord;
  /** Messages of the log that hold the words, oldest first. */
  readonly said: readonly ExplainedMessage[];
  /** Messages of the request that hold them: originals, or what stood in their place. */
  readonly sentIn: readonly string[];
}

/** Throws `CALL_UNKNOWN`. */
export function explainCall(
  call: CallRecord | undefined,
  number: number,
  thread: Thread,
  pins: PinRules,
  claims: Claims,
): ExplainedCall {
  if (!call) {
    throw new SpillwayError('CALL_UNKNOWN', {
      subject: 'call',
      found: number === 0 ? 'none observed yet' : number,
      remedy: 'Name a call that was prepared and, in a session opened again, observed; they count from 1.',
    });
  }
  const { log, ledger } = drawnAt(call, thread);
  const isPinned = pinPredicate(pins, log);
  const { view } = renderAll(log, ledger.liveEdits, isPinned);
  const messages = withRecords(explainView(log, view, isPinned), ledger.live, log);
  return { call, messages: withEnded(messages, claims.endedIn(ledger.endedClaims)), view };
}

/** The same with the newest compaction that has an edit of that stage on the message, and the oldest that has any. */
export function withRecords(
  dispositions: readonly Disposition[],
  live: readonly CompactionRecord[],
  log: ReadonlyLog,
): ExplainedMessage[] {
  const reach = live.flatMap(({ id, plan }) =>
    plan.edits.map((edit) => {
      const [from, to] =
        edit.kind === 'replace' ? [edit.messageId, edit.messageId] : [edit.fromId, edit.toId];
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

/** The same with what operators ended of what each message says. */
export function withEnded(
  messages: ExplainedMessage[],
  ended: ReadonlyMap<string, readonly EndedClaim[]>,
): ExplainedMessage[] {
  if (ended.size === 0) return messages;
  return messages.map((one) => {
    const endedClaims = ended.get(one.id);
    return endedClaims ? { ...one, endedClaims } : one;
  });
}

export function findIn(explained: ExplainedCall, words: string, thread: Thread): Finding {
  const { call, messages, view } = explained;
  // Who looks for words seldom knows how they were written.
  const wanted = words.toLowerCase();
  const holds = (message: Message): boolean =>
    textsOf(message).some((text) => text.toLowerCase().includes(wanted));
  const past = drawnAt(call, thread).log;
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

/** Log and ledger as they were when a call was prepared. */
function drawnAt(call: CallRecord, thread: Thread): { readonly log: Log; readonly ledger: Ledger } {
  const ledger = Ledger.of(thread.ledger.events.slice(0, call.events));
  const left = new Map([...thread.log.left].map(({ message, place }) => [place, message]));
  const log = new Log();
  let next = 0;
  for (let place = 0; place < call.appended; place++) {
    const message: LogMessage = left.get(place) ?? thread.log.at(next++);
    const isGone = ledger.left.some(({ at, count }) => place >= at && place < at + count);
    if (!isGone) log.append(message, message.size);
  }
  return { log, ledger };
}

function textsOf({ parts }: Message): readonly string[] {
  return parts.map((part) => (part.type === 'tool-call' ? `${part.name} ${part.arguments}` : textOf(part)));
}
