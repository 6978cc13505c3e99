import { Log, type LogMessage, type Message, type Part } from '../../../../src/transcript/index.js';
import { createMeasure } from '../../../../src/tokens/measure.js';

/** A token is a word or a mark. */
export const count = (text: string): number => text.match(/\w+|[^\w\s]/g)?.length ?? 0;

/** Remembers how much text was counted, to hold functions to a few counts of small pieces. */
export function meteredCount(): { count: (text: string) => number; readonly chars: number } {
  let chars = 0;
  return {
    count(text) {
      chars += text.length;
      return count(text);
    },
    get chars() {
      return chars;
    },
  };
}

const measure = createMeasure({ name: 'words', exact: false, count });

export function logged(messages: readonly Message[]): LogMessage[] {
  const log = new Log();
  return messages.map((message) => log.append(message, measure(message)));
}

export function user(id: string, text: string): Message {
  return { id, role: 'user', origin: 'user', parts: [{ type: 'text', text }] };
}

export function assistant(id: string, text: string, ...calls: Part[]): Message {
  return {
    id,
    role: 'assistant',
    origin: 'model',
    parts: [...(text ? [{ type: 'text', text } as const] : []), ...calls],
  };
}

export function call(callId: string, name: string, args: object): Part {
  return { type: 'tool-call', callId, name, arguments: JSON.stringify(args) };
}

export function result(id: string, callId: string, text: string, isError = false): Message {
  const part: Part = {
    type: 'tool-result',
    callId,
    content: [{ type: 'text', text }],
    ...(isError && { isError }),
  };
  return { id, role: 'tool', origin: 'tool', parts: [part] };
}
