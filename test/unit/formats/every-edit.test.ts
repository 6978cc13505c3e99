import { gemini, openaiResponses } from '../../../src/formats/index.js';
import type { WireFormat } from '../../../src/spi/index.js';
import { validators } from '../../../src/testkit/index.js';
import type { Message, Part, ViewMessage } from '../../../src/transcript/index.js';
import { everything as geminiBody } from '../../support/gemini.js';
import { everything as responsesBody } from '../../support/responses.js';
import { made, originals, withPart } from './views.js';

const words: Part = { type: 'text', text: '[left out]' };

/** What a stage may put in place of a part: less of the same kind, words, or nothing. */
function edits(part: Part): readonly (readonly Part[])[] {
  if (part.type === 'tool-result')
    return [[{ ...part, content: [{ type: 'text', text: '[cut]' }] }], [{ ...part, content: [] }]];
  if (part.type === 'tool-call')
    return [[{ ...part, arguments: '{}' }], [{ ...part, arguments: '{"input":"…"}' }]];
  return part.type === 'opaque' ? [[]] : [[], [words]];
}

const summary: Message = {
  id: 's',
  role: 'assistant',
  origin: 'synthetic',
  label: 'summary',
  parts: [{ type: 'text', text: 'So far.' }],
};

/** Where each step or plain message begins: a step is only removed complete. */
function exchanges(messages: readonly Message[]): number[] {
  return messages.flatMap(({ role }, at) => (role === 'tool' ? [] : [at]));
}

const CASES: readonly (readonly [WireFormat, () => Record<string, unknown>])[] = [
  [openaiResponses, responsesBody],
  [gemini, geminiBody],
];

describe.each(CASES.map(([format, body]) => [format.name, format, body] as const))(
  '%s',
  (name, format, body) => {
    const { messages } = format.parse(body());
    const faultsOf = (view: readonly ViewMessage[]) => {
      const { messages: list, beside } = format.serialise(view);
      return validators.get(name)!(
        JSON.parse(JSON.stringify({ ...body(), [format.messagesField]: list, ...beside })),
      );
    };

    it('is legal whichever part is cut, replaced or removed', () => {
      let tried = 0;
      messages.forEach((message, at) =>
        message.parts.forEach((part, index) => {
          if (message.role === 'system') return;
          for (const content of edits(part)) {
            const view = originals(messages);
            view[at] = withPart(view[at]!, index, content);
            expect({ at, type: part.type, faults: faultsOf(view) }).toEqual({
              at,
              type: part.type,
              faults: [],
            });
            tried++;
          }
        }),
      );
      expect(tried).toBeGreaterThan(25);
    });

    it('is legal whichever span of complete exchanges a summary replaces', () => {
      const starts = exchanges(messages);
      const first = messages.findIndex(({ role }) => role === 'user');
      for (const from of starts.filter((at) => at >= first)) {
        for (const to of [...starts, messages.length].filter((at) => at > from)) {
          const view = originals(messages);
          view.splice(from, to - from, made(summary));
          expect({ from, to, faults: faultsOf(view) }).toEqual({ from, to, faults: [] });
        }
      }
    });
  },
);
