import { textOf, type Message } from '../../../src/transcript/index.js';

/**
 * What two readings of one session must agree on. Thinking is in the raw file only; ids of calls may have been
 * blacked out, so calls and results are numbered in order of the calls.
 */
export function gists(messages: readonly Message[]): object[] {
  const numbers = new Map<string, number>();
  let calls = 0;
  return messages.map((message) => {
    const said = message.parts.filter((part) => part.type !== 'reasoning').map(textOf);
    const made = message.parts.filter((part) => part.type === 'tool-call');
    for (const { callId } of made) numbers.set(callId, calls++);
    return {
      role: message.role,
      text: said.filter(Boolean).join('\n'),
      files: message.parts.filter((part) => part.type === 'file').length,
      calls: made.map((call) => [call.name, json(call.arguments)]),
      answers: message.parts.flatMap((part) =>
        part.type === 'tool-result' ? [numbers.get(part.callId)] : [],
      ),
    };
  });
}

function json(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
