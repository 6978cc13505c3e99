import type { CompactionRecord, Ledger, Log, Message, Part, ViewMessage } from '../transcript/index.js';
import type { RunReport } from './prepared.js';

/* Messages that a session itself adds to its log. A client that sends its history does not know them. */

function ownMessage(id: string, createdAt: number, part: Part): Message {
  return { id, role: 'user', origin: 'synthetic', unknownToClient: true, parts: [part], createdAt };
}

/** Text for the model. */
export const noticeMessage = (id: string, createdAt: number, text: string): Message => ({
  ...ownMessage(id, createdAt, { type: 'text', text }),
  label: 'notice',
});

/** A request for a compaction. It is in the log itself, so it is found again after a restart. */
export const markerMessage = (id: string, auto: boolean, createdAt: number): Message =>
  ownMessage(id, createdAt, { type: 'marker', marker: 'compaction', auto });

/** Asks that the next request carries words that left. Without `words`: the request had no room for them. */
export const giveBackMarker = (
  id: string,
  createdAt: number,
  words?: { readonly handle: string; readonly text: string },
): Message => ownMessage(id, createdAt, { type: 'marker', marker: 'give-back', auto: false, ...words });

/** The words that a message asks the next request to carry; undefined if it asks for none. */
export function wordsToCarry({ parts: [part] }: Message): { handle: string; text: string } | undefined {
  if (part?.type !== 'marker' || part.text === undefined) return undefined;
  return { handle: part.handle ?? '', text: part.text };
}

/** Tells an agent to go on after a compaction interrupted its loop. */
export const continueMessage = (id: string, createdAt: number): Message =>
  noticeMessage(id, createdAt, 'Continue if you have next steps.');

/** Ends a tool loop, and tells the model to go on. */
export const loopEndMessage = (appended: number, createdAt: number): Message =>
  noticeMessage(`goes-on:${appended}:${createdAt}`, createdAt, '[Go on with the task.]');

/** The compaction that a message asks for; undefined if it asks for none. */
export function markerOf({ id, parts }: Message): QueuedCompaction | undefined {
  const marker = parts.find((part) => part.type === 'marker');
  return marker?.marker === 'compaction' ? { id, auto: marker.auto } : undefined;
}

/** A compaction that the next `prepare` executes. */
export interface QueuedCompaction {
  /** Id of the message that asked for the compaction. */
  readonly id: string;
  readonly auto: boolean;
}

/** The newest compaction that is not undone. */
export const newestCompaction = ({ records }: Ledger): CompactionRecord | undefined =>
  records.findLast(({ kind, status }) => kind === 'compaction' && status === 'committed');

/** The newest compaction marker that no compaction has followed yet. */
export function queuedIn(log: Log, ledger: Ledger): QueuedCompaction | undefined {
  const from = newestCompaction(ledger)?.plan.inputs.logLength ?? 0;
  for (let seq = log.length - 1; seq >= from; seq--) {
    const marker = markerOf(log.at(seq));
    if (marker) return marker;
  }
  return undefined;
}

/** Removes markers, which are for the session and not for the model. No message before `from` is a marker. */
export function withoutMarkers(view: readonly ViewMessage[], from = 0): readonly ViewMessage[] {
  for (let i = from; i < view.length; i++)
    if (isMarker(view[i]!)) return view.filter((shown) => !isMarker(shown));
  return view;
}

function isMarker({ message: { parts } }: ViewMessage): boolean {
  return parts[0]?.type === 'marker' && parts.every(({ type }) => type === 'marker');
}

/** Whether an agent that an automatic compaction interrupts is told to go on, or the host is asked, or neither. */
export function continuationAfter(
  { kind, record }: RunReport,
  how: 'off' | 'ask' | 'on',
  log: Log,
): RunReport['continue'] {
  const isAutomatic = kind === 'committed' && record?.plan.trigger.kind !== 'manual';
  if (how === 'off' || !isAutomatic || log.isPaused || !wouldStall(log)) return undefined;
  return how === 'ask' ? 'ask' : 'told';
}

/** Whether the agent would stall: apart from markers, its message is the newest, and it has no tool calls. */
function wouldStall(log: Log): boolean {
  for (let seq = log.length - 1; seq >= 0; seq--) {
    const message = log.at(seq);
    if (message.parts.some(({ type }) => type === 'marker')) continue;
    return message.role === 'assistant' && !message.parts.some(({ type }) => type === 'tool-call');
  }
  return false;
}
