import type { Message } from '../../../src/transcript/index.js';

/** What two readings of one session must agree on: who said what, which calls, which results. Thinking is not normalized. */
export function agreement(messages: readonly Message[]): unknown[] {
  return messages.map(({ role, parts }) => ({
    role,
    text: parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n'),
    calls: parts.flatMap((part) =>
      part.type === 'tool-call' ? [[part.callId, part.name, json(part.arguments)]] : [],
    ),
    results: parts.flatMap((part) => {
      if (part.type !== 'tool-result') return [];
      const words = part.content.map((inner) => (inner.type === 'text' ? inner.text : inner.type)).join('\n');
      return [[part.callId, json(words)]];
    }),
  }));
}

/** JSON is compared by what it says: writers differ in white space. */
function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
