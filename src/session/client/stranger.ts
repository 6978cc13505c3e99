import type { WireFormat } from '../../spi/index.js';
import type { Message } from '../../transcript/index.js';
import { markerOf } from '../own-messages.js';

/**
 * The first message of a client's history that is no instruction: what tells one conversation from another. Parses no
 * more of the body than it has to. Undefined where there is none.
 */
export function headOf(body: unknown, format: WireFormat): Message | undefined {
  const field = format.messagesField;
  const items = (body as Readonly<Record<string, unknown>> | null | undefined)?.[field];
  if (!Array.isArray(items)) return firstOf(format.parse(body).messages);
  for (let count = 2; ; count *= 4) {
    const some = count < items.length;
    const head = firstOf(
      format.parse(some ? { ...(body as object), [field]: items.slice(0, count) } : body).messages,
    );
    if (head || !some) return head;
  }
}

const firstOf = (messages: readonly Message[]): Message | undefined =>
  messages.find(({ role }) => role !== 'system');

/** The same of a log: undefined where nothing was said yet. */
export function headOfLog({
  length,
  at,
}: {
  readonly length: number;
  at(seq: number): Message;
}): Message | undefined {
  for (let seq = 0; seq < length; seq++) {
    const message = at(seq);
    if (message.role !== 'system' && !markerOf(message)) return message;
  }
  return undefined;
}
