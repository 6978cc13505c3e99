import { gemini } from '../../../../src/formats/gemini/index.js';
import { validateGemini } from '../../../../src/testkit/index.js';
import { agreement } from '../../formats/agreement.js';
import { originals } from '../../formats/views.js';
import { lines, sessionFiles } from './files.js';

const read = sessionFiles();

const head = { sessionId: 's1', projectHash: 'h', startTime: '2026-01-10T20:25:07.197Z', lastUpdated: 'x' };
const user = (id: string, content: unknown) => ({
  id,
  timestamp: '2026-01-10T20:25:07.197Z',
  type: 'user',
  content,
});
const result = (response: unknown, ...more: unknown[]) => [
  { functionResponse: { id: 'x', name: 'read_file', response } },
  ...more,
];
const step = {
  id: 'g1',
  timestamp: '2026-01-10T20:25:11.495Z',
  type: 'gemini',
  content: 'Reading both.',
  thoughts: [{ subject: 'Looking', description: 'at the files', timestamp: 'x' }],
  model: 'gemini-2.5-flash',
  tokens: { input: 1 },
  toolCalls: [
    {
      id: 'a',
      name: 'read_file',
      args: { path: 'a.ts' },
      result: result({ output: 'words' }),
      status: 'success',
    },
    { id: 'b', name: 'read_file', args: {}, result: result({ error: 'cancelled' }), status: 'cancelled' },
    {
      id: 'c',
      name: 'read_file',
      args: {},
      result: result({ output: 'seen' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }),
      status: 'success',
    },
    { id: 'd', name: 'read_file', args: {}, status: 'executing' },
  ],
};
const MESSAGES = [
  user('u1', 'read both'),
  step,
  user('u2', [{ text: 'and?' }]),
  { id: 'i', type: 'info', content: 'Request cancelled.' },
];

describe('a Gemini CLI session', () => {
  const whole = () => read(JSON.stringify({ ...head, messages: MESSAGES }, null, 2));

  it('is recognised, and read step by step', async () => {
    const { format, how, parsed, meta } = await whole();
    expect([format, how]).toEqual(['gemini-cli', expect.stringContaining('projectHash')]);
    expect(meta).toEqual({ id: 's1', model: 'gemini-2.5-flash' });
    expect(parsed.messages.map(({ id, role, parts }) => [id, role, parts.map(({ type }) => type)])).toEqual([
      ['u1', 'user', ['text']],
      ['g1', 'assistant', ['reasoning', 'text', 'tool-call', 'tool-call', 'tool-call', 'tool-call']],
      ['g1#0', 'tool', ['tool-result']],
      ['g1#1', 'tool', ['tool-result']],
      ['g1#2', 'tool', ['tool-result']],
      ['u2', 'user', ['text']],
    ]);
    expect(parsed.messages[3]!.parts[0]).toMatchObject({
      content: [{ text: '{"error":"cancelled"}' }],
      isError: true,
    });
    expect(parsed.messages[4]!.parts[0]).toMatchObject({
      content: [{ text: 'seen' }, { mediaType: 'image/png' }],
    });
    expect(parsed.notices.map(({ kind }) => kind)).toEqual(['not-a-message']);
  });

  it('goes to the Gemini wire, legal, its picture included', async () => {
    const { parsed } = await whole();
    const { messages, notices } = gemini.serialise(originals(parsed.messages));
    expect(validateGemini(messages, { openEnd: false })).toEqual([]);
    expect(notices.map(({ kind }) => kind)).toContain('interrupted-call');
    expect(JSON.stringify(messages)).toContain('"data":"AAAA"');
  });

  it('is read line by line too: a message written again is replaced, and a rewound one is gone', async () => {
    const written = [
      head,
      user('u0', 'never mind'),
      { $rewindTo: 'u0' },
      MESSAGES[0],
      { ...step, content: 'Read' },
      ...MESSAGES.slice(1),
      { $set: { lastUpdated: 'y' } },
    ];
    const found = await read(lines(...written));
    expect(found.format).toBe('gemini-cli');
    expect(agreement(found.parsed.messages)).toEqual(agreement((await whole()).parsed.messages));
  });

  it('gets a notice if another session is in the file', async () => {
    const other = { ...head, sessionId: 's2', messages: [user('x1', 'more')] };
    const { parsed } = await read(JSON.stringify([{ ...head, messages: MESSAGES }, other]));
    expect(parsed.messages.map(({ id }) => id)).toContain('x1');
    expect(parsed.notices.map(({ kind }) => kind)).toEqual(['another-session', 'not-a-message']);
  });

  it('is refused without any message', async () => {
    await expect(read(JSON.stringify({ ...head, messages: [] }, null, 2))).rejects.toMatchObject({
      code: 'INPUT_FORMAT',
    });
  });
});
