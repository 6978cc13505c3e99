import { engine, prose } from '../support.js';

/* Text that travels as a file, and what tools of the provider found, leave the view as all else does, and can be read back. */

const FACT = 'The sluice of Zebrano opens at 4711 millibar.';
const PAGE = `${FACT} ${prose(80, 7)}`;
const base64 = Buffer.from(PAGE).toString('base64');
const SEALED = 'Q'.repeat(200);

type Item = Readonly<Record<string, unknown>>;

/** How a format writes a question and an answer. */
const bare = (question: string, answer: string): Item[] => [
  { role: 'user', content: question },
  { role: 'assistant', content: answer },
];
const TALK: Readonly<Record<string, typeof bare>> = {
  anthropic: bare,
  'openai-chat': bare,
  'openai-responses': bare,
  gemini: (question, answer) => [
    { role: 'user', parts: [{ text: question }] },
    { role: 'model', parts: [{ text: answer }] },
  ],
  langchain: (question, answer) => [
    { type: 'human', content: question },
    { type: 'ai', content: answer },
  ],
  'ai-sdk': (question, answer) => [
    { role: 'user', content: [{ type: 'text', text: question }] },
    { role: 'assistant', content: [{ type: 'text', text: answer }] },
  ],
};

const user = (...content: Item[]): Item => ({ role: 'user', content });
const model = (...content: Item[]): Item => ({ role: 'assistant', content });
const words = { type: 'text', text: 'There.' };
const document = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: PAGE } };
const found = [{ type: 'text', text: PAGE }];

const CASES: readonly (readonly [what: string, format: string, message: Item])[] = [
  ['a document of text', 'anthropic', user(document, words)],
  [
    'a document of blocks',
    'anthropic',
    user({ type: 'document', source: { type: 'content', content: found } }, words),
  ],
  [
    'a search result',
    'anthropic',
    user({ type: 'search_result', source: 's', title: 't', content: found }, words),
  ],
  [
    'a page that the provider fetched',
    'anthropic',
    model(
      { type: 'server_tool_use', id: 's1', name: 'web_fetch', input: {} },
      {
        type: 'web_fetch_tool_result',
        tool_use_id: 's1',
        content: { type: 'web_fetch_result', url: 'u', encrypted_content: SEALED, content: document },
      },
      words,
    ),
  ],
  [
    'a file of version 7',
    'ai-sdk',
    user({ type: 'file', data: { type: 'text', text: PAGE }, mediaType: 'text/plain' }, words),
  ],
  ['a file in base64', 'ai-sdk', user({ type: 'file', data: base64, mediaType: 'text/csv' }, words)],
  [
    'a result of the provider',
    'ai-sdk',
    model(
      { type: 'tool-call', toolCallId: 's', toolName: 'web', input: {}, providerExecuted: true },
      {
        type: 'tool-result',
        toolCallId: 's',
        toolName: 'web',
        output: { type: 'json', value: { page: PAGE } },
      },
      words,
    ),
  ],
  ['a text of its own', 'langchain', { type: 'human', content: [{ type: 'text-plain', text: PAGE }, words] }],
  [
    'inline data',
    'gemini',
    { role: 'user', parts: [{ inlineData: { mimeType: 'text/plain', data: base64 } }] },
  ],
  [
    'what code printed',
    'gemini',
    {
      role: 'model',
      parts: [
        { executableCode: { language: 'PYTHON', code: 'print(page)' } },
        { codeExecutionResult: { outcome: 'OUTCOME_OK', output: PAGE } },
      ],
    },
  ],
  [
    'a file in a data address',
    'openai-chat',
    user({ type: 'file', file: { filename: 'a.txt', file_data: `data:text/plain;base64,${base64}` } }, words),
  ],
  [
    'what a search of files found',
    'openai-responses',
    {
      type: 'file_search_call',
      id: 'fs',
      status: 'completed',
      queries: ['q'],
      results: [{ file_id: 'f', text: PAGE }],
    },
  ],
];

describe('words in a part that is not text', () => {
  it.each(CASES)('%s (%s) is found by its words and given by its handle', async (_, format, message) => {
    const talk = TALK[format]!;
    const isModels = message.role !== 'user' && message.type !== 'human';
    const history = [...talk('First?', 'Yes.'), ...(isModels ? talk('Look.', '').slice(0, 1) : []), message];
    if (!isModels) history.push(...talk('', 'Seen.').slice(1));
    for (let turn = 0; turn < 10; turn++) history.push(...talk(prose(40, turn), prose(60, 20 + turn)));
    history.push(...talk('And now?', '').slice(0, 1));
    const session = (await engine(600, { recall: { automatic: 'off' } })).session({ format });
    const field = { gemini: 'contents', 'openai-responses': 'input' }[format] ?? 'messages';
    await session.follow({ [field]: history });
    const { messages } = await session.prepare();
    expect(JSON.stringify(messages)).not.toMatch(/4711|NDcxMS/);
    const [first] = await session.recall({ query: 'sluice Zebrano millibar' });
    expect(first?.text).toContain(FACT);
    const [whole] = await session.recall({ handle: `m${history.indexOf(message)}` });
    expect(whole!.text).toContain(PAGE);
    expect(whole!.text).not.toContain(SEALED);
  });
});
