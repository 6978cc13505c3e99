import { isToolCall, isToolResult, type Message, type ToolCallPart } from '../../transcript/index.js';
import { isText, type Fields } from '../record.js';
import type { Report } from './repairs.js';

/** The part of a conversation that was read so far, as the parser of later messages needs it. */
export class Past {
  readonly messages: Message[] = [];
  /** Ids of all calls that were made. */
  readonly calls = new Set<string>();
  /** The number of pieces of the list that were added. */
  pieceCount = -1;
  readonly #ids = new Set<string>();

  /** `read`: the messages before the list, then the messages of each of its pieces. */
  constructor(read: readonly (readonly Message[])[]) {
    for (const messages of read) this.add(messages);
  }

  add(messages: readonly Message[]): void {
    this.pieceCount++;
    for (const message of messages) {
      this.messages.push(message);
      this.#ids.add(message.id);
      for (const part of message.parts) if (isToolCall(part)) this.calls.add(part.callId);
    }
  }

  /** The message's own id if it is free; otherwise an id from its place. Both are the same in a longer list. */
  freeId(own: unknown, index: number): string {
    let id = isText(own) && !this.#ids.has(own) ? own : `m${index}`;
    while (this.#ids.has(id)) id += '+';
    return id;
  }

  /** The newest message of the assistant. */
  get head(): Message | undefined {
    return this.messages.findLast(({ role }) => role === 'assistant');
  }

  /** The unanswered calls of the newest step. A result without an id is matched with these, never across a step. */
  get waitingCalls(): ToolCallPart[] {
    const step = this.messages.slice(this.messages.findLastIndex(({ role }) => role === 'assistant'));
    const parts = step.flatMap((message) => message.parts);
    const waitingCalls = step[0]?.role === 'assistant' ? step[0].parts.filter(isToolCall) : [];
    for (const { callId } of parts.filter(isToolResult)) {
      const at = waitingCalls.findIndex((call) => call.callId === callId);
      if (at >= 0) waitingCalls.splice(at, 1);
    }
    return waitingCalls;
  }
}

/** The id of the call that a result answers; without an id, the first waiting call of its step, by name if named. */
export function answeredId(
  { name, tool_call_id: callId }: Fields,
  { id, past, report }: { readonly id: string; readonly past: Past; readonly report: Report },
): string {
  if (isText(callId)) return callId;
  const found = past.waitingCalls.find((call) => typeof name !== 'string' || call.name === name)?.callId;
  const answers = found === undefined ? '' : `; by order it answers ${found}`;
  report('missing-result-id', `a result without an id${answers}`);
  return found ?? `result_${id}`;
}
