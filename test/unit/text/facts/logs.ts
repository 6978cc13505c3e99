import { Log, NO_SIZE } from '../../../../src/transcript/index.js';
import type { Message, MessageSize, Origin, Part, Role } from '../../../../src/transcript/index.js';

export const SIZE: MessageSize = { ...NO_SIZE, parts: [] };

let count = 0;

export function message(role: Role, parts: readonly Part[], origin?: Origin): Message {
  const usual: Record<Role, Origin> = { user: 'user', assistant: 'model', tool: 'tool', system: 'system' };
  return { id: `m${count++}`, role, parts, origin: origin ?? usual[role] };
}

export const text = (words: string): Part => ({ type: 'text', text: words });
export const user = (words: string) => message('user', [text(words)]);
export const says = (words: string) => message('assistant', [text(words)]);
export const reminder = (words: string) => message('user', [text(words)], 'synthetic');

export function call(callId: string, name: string, args: unknown): Part {
  return {
    type: 'tool-call',
    callId,
    name,
    arguments: typeof args === 'string' ? args : JSON.stringify(args),
  };
}

export function result(callId: string, words: string, isError = false): Message {
  return message('tool', [
    {
      type: 'tool-result',
      callId,
      content: [{ type: 'text', text: words }],
      ...(isError ? { isError } : {}),
    },
  ]);
}

/** A step with one call and its answer. */
export function step(name: string, args: unknown, answer: string, isError = false): Message[] {
  const callId = `c${count++}`;
  return [message('assistant', [call(callId, name, args)]), result(callId, answer, isError)];
}

export function logOf(...messages: readonly (Message | readonly Message[])[]): Log {
  const log = new Log();
  for (const one of messages.flat()) log.append(one, SIZE);
  return log;
}
