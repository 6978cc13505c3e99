import { modelMessageSchema } from 'ai';
import { formats } from '../../../src/formats/index.js';
import { validators } from '../../../src/testkit/index.js';
import { originals } from './views.js';

type Fields = Readonly<Record<string, unknown>>;

const PNG = 'iVBORw0KGgoAAAANSUhEUg==';
const PDF = 'JVBERi0xLjQK';
const WORDS = 'The weir is nine feet high.';
const BASE64 = Buffer.from(WORDS).toString('base64');
const PICTURE = 'https://pics.example/mill.png';
const PAPER = 'https://pics.example/deed.pdf';

/** A question with files, and a call that is answered with a picture, as clients of each format write them. */
const BODIES: Readonly<Record<string, { readonly body: Fields; readonly files: readonly string[] }>> = {
  'openai-chat': {
    files: [PNG, PICTURE, PDF],
    body: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is it?' },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
            { type: 'image_url', image_url: { url: PICTURE } },
            { type: 'file', file: { filename: 'deed.pdf', file_data: `data:application/pdf;base64,${PDF}` } },
          ],
        },
      ],
    },
  },
  'openai-responses': {
    files: [PNG, PICTURE, PDF, PAPER],
    body: {
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'What is it?' },
            { type: 'input_image', detail: 'auto', image_url: `data:image/png;base64,${PNG}` },
            { type: 'input_image', detail: 'auto', image_url: PICTURE },
            { type: 'input_file', filename: 'deed.pdf', file_data: `data:application/pdf;base64,${PDF}` },
            { type: 'input_file', file_url: PAPER },
          ],
        },
        { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{}' },
        {
          type: 'function_call_output',
          call_id: 'c1',
          output: [{ type: 'input_image', detail: 'auto', image_url: PICTURE }],
        },
      ],
    },
  },
  anthropic: {
    files: [PNG, PICTURE, PDF, PAPER],
    body: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is it?' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
            { type: 'image', source: { type: 'url', url: PICTURE } },
            {
              type: 'document',
              title: 'deed',
              source: { type: 'base64', media_type: 'application/pdf', data: PDF },
            },
            { type: 'document', source: { type: 'url', url: PAPER } },
          ],
        },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'look', input: {} }] },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'c1',
              content: [{ type: 'image', source: { type: 'url', url: PICTURE } }],
            },
          ],
        },
      ],
    },
  },
  gemini: {
    files: [PNG, BASE64, PAPER],
    body: {
      contents: [
        {
          role: 'user',
          parts: [
            { text: 'What is it?' },
            { inlineData: { mimeType: 'image/png', data: PNG } },
            { inlineData: { mimeType: 'text/plain', data: BASE64 } },
            { fileData: { mimeType: 'application/pdf', fileUri: PAPER } },
          ],
        },
      ],
    },
  },
  'ai-sdk': {
    files: [PNG, PICTURE, BASE64],
    body: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is it?' },
            { type: 'file', mediaType: 'image/png', data: PNG },
            { type: 'file', mediaType: 'image/png', data: new URL(PICTURE) },
            { type: 'file', mediaType: 'text/plain', data: BASE64, filename: 'deed.txt' },
          ],
        },
        {
          role: 'assistant',
          content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'look', input: {} }],
        },
        {
          role: 'tool',
          content: [
            {
              type: 'tool-result',
              toolCallId: 'c1',
              toolName: 'look',
              output: {
                type: 'content',
                value: [
                  { type: 'image-url', url: PICTURE },
                  { type: 'image-data', data: PNG, mediaType: 'image/png' },
                  { type: 'file-data', data: PDF, mediaType: 'application/pdf' },
                ],
              },
            },
          ],
        },
      ],
    },
  },
};

const NAMES = [...formats.keys()];
const cases = Object.keys(BODIES).flatMap((from) =>
  NAMES.filter((to) => to !== from).map((to) => ({ from, to })),
);

describe('files of one format in another', () => {
  it.each(cases)('$from in $to: every lost file is named, and the request is legal', ({ from, to }) => {
    const { body, files } = BODIES[from]!;
    const { messages } = formats.get(from)!.parse(body);
    const target = formats.get(to)!;
    const written = target.serialise(originals(messages));
    expect(validators.get(to)!({ ...written.beside, [target.messagesField]: written.messages })).toEqual([]);
    if (to === 'ai-sdk')
      for (const message of written.messages as readonly object[])
        expect(modelMessageSchema.safeParse(message).error).toBeUndefined();
    const text = JSON.stringify(written.messages);
    const named = written.notices.filter(({ kind }) => kind === 'file-named').length;
    const gone = files.filter((file) => !text.includes(file) && !(file === BASE64 && text.includes(WORDS)));
    expect(gone.length).toBeLessThanOrEqual(named);
  });

  it('text in a result is sent in chat; a picture in it is named, with a notice', () => {
    const found = {
      type: 'search_result',
      source: 's',
      title: 't',
      content: [{ type: 'text', text: WORDS }],
    };
    const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } };
    const call = { type: 'tool_use', id: 'a', name: 'look', input: {} };
    const { messages } = formats.get('anthropic')!.parse([
      { role: 'user', content: 'go' },
      { role: 'assistant', content: [call] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: [found, picture] }] },
    ]);
    const sent = formats.get('openai-chat')!.serialise(originals(messages));
    expect(sent.messages[2]).toMatchObject({ content: expect.stringContaining(WORDS) });
    expect(sent.notices.map(({ kind }) => kind)).toEqual(['file-named']);
  });

  it.each([
    ['image/svg+xml;utf8', '<svg%20/>', '<svg />'],
    ['image/svg+xml', '<svg width="5%"/>', '<svg width="5%"/>'],
    ['image/svg+xml;charset=utf-8;BASE64', Buffer.from('<svg />').toString('base64'), '<svg />'],
  ])('an address that holds a picture as %s is decoded', (head, held, text) => {
    const content = [{ type: 'image_url', image_url: { url: `data:${head},${held}` } }];
    const { messages } = formats.get('openai-chat')!.parse([{ role: 'user', content }]);
    const data = Buffer.from(text).toString('base64');
    expect(formats.get('gemini')!.serialise(originals(messages)).messages).toEqual([
      { role: 'user', parts: [{ inlineData: { mimeType: 'image/svg+xml', data } }] },
    ]);
    // Anthropic takes no such picture, and fetches no such address.
    expect(formats.get('anthropic')!.serialise(originals(messages)).notices).toMatchObject([
      { kind: 'file-named' },
    ]);
  });
});
