import { formats } from '../../../../src/formats/index.js';
import { historyOf, ORDERLY } from '../../../../src/testkit/index.js';
import { lines, sessionFiles, told } from './files.js';
import { originals } from '../../formats/views.js';

const read = sessionFiles();

describe.each([...formats.values()].map((format) => ({ name: format.name, format })))(
  'auto: $name',
  ({ name, format }) => {
    // A few turns with calls: what every real session has, and what formats differ in.
    const { messages, beside } = format.serialise(
      originals(historyOf({ seed: 7, length: 30, traits: ORDERLY })),
    );
    const body = JSON.parse(JSON.stringify({ ...beside, [format.messagesField]: messages })) as object;

    it.each([
      ['a body, printed', JSON.stringify(body, undefined, 1)],
      ['a body on one line', JSON.stringify(body)],
      ['a list', JSON.stringify(messages)],
      ['a message a line', lines(...messages)],
    ])('%s', async (_, text) => {
      const found = await read(text);
      expect([found.format, found.how.startsWith(`${name}: `)]).toEqual([name, true]);
      const inBody = format.parse(body).messages.filter(({ role }) => role !== 'system').length;
      expect(found.parsed.messages.filter(({ role }) => role !== 'system')).toHaveLength(inBody);
    });
  },
);

it("a message a line: a custom tool's call has an input, as a body of Responses has", async () => {
  const items = [
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'go' }] },
    { type: 'custom_tool_call', call_id: 'c', name: 'apply_patch', input: '*** Begin Patch' },
    { type: 'custom_tool_call_output', call_id: 'c', output: 'Success.' },
  ];
  const found = await read(lines(...items));
  expect(found.format).toBe('openai-responses');
  expect(told(found)).toEqual([
    'user: go',
    'assistant: call c apply_patch({"input":"*** Begin Patch"})',
    'tool: c: Success.',
  ]);
});
