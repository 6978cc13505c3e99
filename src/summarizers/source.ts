import {
  isToolCall,
  isToolResult,
  type LogMessage,
  type ReadonlyLog,
  type Slot,
  type ToolCallPart,
} from '../transcript/index.js';

/** What a slot's text is to be written from. */
export interface SlotSource {
  /** In order; for a slot of one part, the message that holds it. */
  readonly messages: readonly LogMessage[];
  /** Set where the slot is for one part. */
  readonly partIndex?: number;
  /** The call whose result that part is. */
  readonly call?: ToolCallPart;
  /** Ids of pinned messages of the user that were said among them: they stand behind the text. */
  readonly kept?: readonly string[];
  /** Counted tokens of all that the text is to stand for. */
  readonly tokens: number;
}

/** The originals of a slot, less the pins, which stand in the view anyway. Never an earlier summary: nothing drifts. */
export function slotSource(
  slot: Slot,
  partIndex: number | undefined,
  log: ReadonlyLog,
  isPinned: (message: LogMessage) => boolean,
): SlotSource | undefined {
  const from = log.find(slot.fromId)?.seq;
  const to = log.find(slot.toId)?.seq;
  if (from === undefined || to === undefined || from > to) return undefined;
  if (partIndex !== undefined) {
    const message = log.at(from);
    const call = callOf(message, partIndex, log);
    const tokens = message.size.parts[partIndex]?.tokens ?? 0;
    return { messages: [message], partIndex, tokens, ...(call && { call }) };
  }
  const span = Array.from({ length: to - from + 1 }, (_, i) => log.at(from + i));
  const messages = span.filter((message) => !isPinned(message));
  const kept = span.filter((message) => message.role === 'user' && isPinned(message)).map(({ id }) => id);
  const tokens = messages.reduce((sum, { size }) => sum + size.tokens, 0);
  return { messages, tokens, ...(kept.length > 0 && { kept }) };
}

/** Results follow their call at once: the nearest earlier one with the id is it. */
function callOf(message: LogMessage, partIndex: number, log: ReadonlyLog): ToolCallPart | undefined {
  const part = message.parts[partIndex];
  if (!part || !isToolResult(part)) return undefined;
  const from = log.exchangeOf(message.seq).seqs[0]!;
  for (let seq = message.seq - 1; seq >= from; seq--) {
    const call = log.at(seq).parts.find((other) => isToolCall(other) && other.callId === part.callId);
    if (call && isToolCall(call)) return call;
  }
  return undefined;
}
