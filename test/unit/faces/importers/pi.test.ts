import { kinds, lines, sessionFiles, told } from './files.js';

const read = sessionFiles();
const START = {
  type: 'session',
  version: 3,
  id: 's',
  timestamp: '2026-01-01T00:00:00Z',
  cwd: '/work',
  modelId: 'opus',
};
const message = (body: object, ids: object = {}) => ({
  type: 'message',
  ...ids,
  timestamp: '2026-01-01T00:00:01Z',
  message: body,
});
const user = (text: string, ids?: object) =>
  message({ role: 'user', content: [{ type: 'text', text }] }, ids);
const answer = (content: object[], more: object = {}, ids?: object) =>
  message({ role: 'assistant', content, stopReason: 'stop', ...more }, ids);
const call = (id: string) => ({ type: 'toolCall', id, name: 'read', arguments: { path: 'a' } });
const result = (toolCallId: string, text: string, isError = false) =>
  message({ role: 'toolResult', toolCallId, toolName: 'read', content: [{ type: 'text', text }], isError });

describe('the pi importer', () => {
  it('takes entries in order, with thinking, pictures, failures and commands of the user', async () => {
    const picture = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
    const session = await read(
      lines(
        START,
        { type: 'model_change', timestamp: 'x', provider: 'p', modelId: 'm' },
        message({ role: 'user', content: [{ type: 'text', text: 'go' }, picture] }),
        answer([{ type: 'thinking', thinking: 'hm', thinkingSignature: 'sig' }, call('c'), call('d')]),
        result('c', 'one'),
        result('d', 'no', true),
        message({ role: 'bashExecution', command: 'make', output: 'ok', exitCode: 2 }),
        message({ role: 'bashExecution', command: 'hush', output: 'ok', excludeFromContext: true }),
        { type: 'compaction', summary: 'so far', firstKeptEntryIndex: 1, tokensBefore: 9 },
        answer([], { stopReason: 'aborted' }),
        answer([{ type: 'text', text: 'done' }]),
      ),
    );
    expect(session).toMatchObject({ format: 'pi', meta: { id: 's', model: 'opus', compaction_at: [5] } });
    expect(told(session)).toEqual([
      'user: go | <image/png>',
      'assistant: hm | call c read({"path":"a"}) | call d read({"path":"a"})',
      'tool: c: one',
      'tool: failed d: no',
      'user: Ran `make`\n```\nok\n```\nexit code 2',
      'assistant: done',
    ]);
    expect(kinds(session)).toEqual(['aborted', 'empty-message']);
  });

  it('takes the branch of the last entry', async () => {
    const session = await read(
      lines(
        START,
        user('go', { id: 'a', parentId: null }),
        answer([{ type: 'text', text: 'left' }], {}, { id: 'b', parentId: 'a' }),
        user('left, too', { id: 'c', parentId: 'b' }),
        answer([{ type: 'text', text: 'kept' }], {}, { id: 'd', parentId: 'a' }),
        { type: 'branch_summary', id: 'e', parentId: 'd', summary: 'what the other branch did' },
        { type: 'custom_message', id: 'f', parentId: 'e', content: 'from an extension' },
      ),
    );
    expect(told(session)).toEqual([
      'user: go',
      'assistant: kept',
      'user*: what the other branch did',
      'user*: from an extension',
    ]);
    expect(kinds(session)).toEqual(['rewound']);
  });

  it('goes on from before a torn line, and starts again at a parent of null', async () => {
    const [head, ask, torn, next] = lines(
      START,
      user('go', { id: 'a', parentId: null }),
      answer([{ type: 'text', text: 'torn' }], {}, { id: 'b', parentId: 'a' }),
      user('more', { id: 'c', parentId: 'b' }),
    ).split('\n') as [string, string, string, string];
    const broken = await read([head, ask, torn.slice(0, 40), next].join('\n'));
    expect(told(broken)).toEqual(['user: go', 'user: more']);
    expect(kinds(broken)).toEqual(['unreadable-line', 'chain-break']);
    const anew = await read([head, ask, torn, next.replace('"b"', 'null')].join('\n'));
    expect(told(anew)).toEqual(['user: more']);
    expect(kinds(anew)).toEqual(['rewound']);
  });

  it('keeps unknown roles and parts, and refuses a file without messages', async () => {
    const odd = await read(lines(START, message({ role: 'oracle', x: 1 }), answer([{ type: 'gesture' }])));
    expect(told(odd)).toEqual(['user*: {"role":"oracle","x":1}', 'assistant: {"type":"gesture"}']);
    expect(kinds(odd)).toEqual(['unknown-role', 'unknown-part']);
    await expect(read(lines(START))).rejects.toMatchObject({ code: 'INPUT_FORMAT' });
  });
});
