import { gemini, openaiResponses } from '../../src/formats/index.js';
import type { WireFormat } from '../../src/spi/index.js';
import { validators, type WireFault } from '../../src/testkit/index.js';

type Loose = Record<string, any>;
type Call = readonly [id: string, tool: string, args: Loose];

/** The same conversation on one wire: a text of each kind, and how the provider reads it. */
export interface Wire {
  readonly format: WireFormat;
  readonly user: (...words: (string | Picture)[]) => Loose[];
  readonly says: (words: string) => Loose[];
  readonly calls: (made: readonly Call[], words?: string) => Loose[];
  readonly result: (id: string, tool: string, ...content: (string | Picture)[]) => Loose[];
  readonly judge: (request: { messages: readonly unknown[]; beside: object }) => readonly WireFault[];
}

/** A picture of a number of base64 characters, identified by its letter. */
export interface Picture {
  readonly bytes: number;
  readonly letter: string;
}

const base64 = ({ bytes, letter }: Picture): string => letter.repeat(bytes);

const judgeOf =
  ({ name, messagesField }: WireFormat): Wire['judge'] =>
  ({ messages, beside }) =>
    validators.get(name)!({ ...beside, [messagesField]: messages });

const entry = (part: string | Picture): Loose =>
  typeof part === 'string'
    ? { type: 'input_text', text: part }
    : { type: 'input_image', detail: 'auto', image_url: `data:image/png;base64,${base64(part)}` };

export const responsesWire: Wire = {
  format: openaiResponses,
  user: (...words) => [{ role: 'user', content: words.map(entry) }],
  says: (words) => [{ role: 'assistant', content: [{ type: 'output_text', text: words, annotations: [] }] }],
  calls: (made, words) => [
    {
      type: 'reasoning',
      id: `rs_${made[0]![0]}`,
      summary: [],
      encrypted_content: `sealed for ${made[0]![0]}`,
    },
    ...(words === undefined ? [] : responsesWire.says(words)),
    ...made.map(([id, name, args]) => ({
      type: 'function_call',
      id: `fc_${id}`,
      call_id: id,
      name,
      arguments: JSON.stringify(args),
    })),
  ],
  result: (id, _, ...content) => [
    {
      type: 'function_call_output',
      call_id: id,
      output: content.every((part) => typeof part === 'string') ? content.join('\n') : content.map(entry),
    },
  ],
  judge: judgeOf(openaiResponses),
};

const part = (one: string | Picture): Loose =>
  typeof one === 'string' ? { text: one } : { inlineData: { mimeType: 'image/png', data: base64(one) } };

export const geminiWire: Wire = {
  format: gemini,
  user: (...words) => [{ role: 'user', parts: words.map(part) }],
  says: (words) => [{ role: 'model', parts: [{ text: words }] }],
  calls: (made, words) => [
    {
      role: 'model',
      parts: [
        ...(words === undefined ? [] : [{ text: words }]),
        ...made.map(([id, name, args], i) => ({
          functionCall: { id, name, args },
          ...(i === 0 ? { thoughtSignature: `signed-${id}` } : {}),
        })),
      ],
    },
  ],
  result: (id, name, ...content) => {
    const files = content.filter((one) => typeof one !== 'string').map(part);
    const output = content.filter((one) => typeof one === 'string').join('\n');
    const response = { id, name, response: { output }, ...(files.length > 0 ? { parts: files } : {}) };
    return [{ role: 'user', parts: [{ functionResponse: response }] }];
  },
  judge: judgeOf(gemini),
};

export const WIRES: readonly (readonly [name: string, wire: Wire])[] = [
  ['openai-responses', responsesWire],
  ['gemini', geminiWire],
];
