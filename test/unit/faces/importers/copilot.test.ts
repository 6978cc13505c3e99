import { openaiChat } from '../../../../src/formats/index.js';
import { validateOpenAiChat } from '../../../../src/testkit/index.js';
import { kinds, lines, sessionFiles, told } from './files.js';
import { originals } from '../../formats/views.js';

const read = sessionFiles();
let count = 0;
const event = (type: string, data: object, more: object = {}) => {
  count += 1;
  const timestamp = new Date(1_770_000_000_000 + count * 1_000).toISOString();
  return { type, data, id: `ev${count}`, timestamp, parentId: `ev${count - 1}`, ...more };
};
const start = () =>
  event('session.start', {
    sessionId: 's1',
    version: 1,
    producer: 'copilot-agent',
    copilotVersion: '0.0.400',
  });
const request = (toolCallId: string, name = 'bash') => ({ toolCallId, name, arguments: { command: 'ls' } });
const done = (toolCallId: string, content: string) =>
  event('tool.execution_complete', {
    toolCallId,
    success: true,
    model: 'gpt-5',
    result: { content, detailedContent: 'x' },
  });

describe('the Copilot CLI importer', () => {
  it('takes words, parallel calls, results, failures and thinking; what was never sent is left out', async () => {
    const session = await read(
      lines(
        start(),
        event('system.message', { role: 'system', content: 'be brief' }),
        event('user.message', {
          content: 'go',
          attachments: [{ type: 'file', path: '/a.txt', displayName: 'a.txt' }],
        }),
        event('assistant.turn_start', { turnId: '0' }),
        event('assistant.message', {
          messageId: 'm',
          content: 'looking',
          reasoningText: 'hm',
          reasoningOpaque: 'c2ln',
          toolRequests: [request('t1'), request('t2', 'view')],
        }),
        event('tool.execution_start', { toolCallId: 't1', toolName: 'bash', arguments: {} }),
        event('permission.requested', { requestId: 'p', permissionRequest: { kind: 'shell' } }),
        event('tool.execution_start', { toolCallId: 't2', toolName: 'view', arguments: {} }),
        done('t2', 'second'),
        event('assistant.message_delta', { messageId: 'm', deltaContent: 'zz' }, { ephemeral: true }),
        event('tool.execution_complete', { toolCallId: 't1', success: false, error: { message: 'denied' } }),
        event('assistant.message', { messageId: 'n', content: 'done', toolRequests: [] }),
        event('session.shutdown', { shutdownType: 'routine' }),
      ),
    );
    expect(session).toMatchObject({
      format: 'copilot',
      meta: { id: 's1', agent_version: '0.0.400', model: 'gpt-5' },
    });
    expect(told(session)).toEqual([
      'system: be brief',
      'user: go | <application/octet-stream>',
      'assistant: hm | looking | call t1 bash({"command":"ls"}) | call t2 view({"command":"ls"})',
      'tool: t2: second',
      'tool: failed t1: denied',
      'assistant: done',
    ]);
    expect(session.parsed.messages[2]!.parts[0]).toMatchObject({ type: 'reasoning', signature: 'c2ln' });
    expect(kinds(session)).toEqual([]);
  });

  it('leaves sub-agents out, records compactions, and takes back rewound messages', async () => {
    const wrong = event('user.message', { content: 'wrong way' });
    const session = await read(
      lines(
        start(),
        event('user.message', { content: 'go' }),
        event('assistant.message', { content: 'inner' }, { agentId: 'sub' }),
        event('assistant.message', { content: 'older inner', parentToolCallId: 't0' }),
        event('assistant.message', { content: 'one' }),
        event('session.compaction_complete', { success: true, summaryContent: 'so far' }),
        wrong,
        event('assistant.message', { content: 'wrong answer' }),
        event('session.snapshot_rewind', { upToEventId: wrong.id, eventsRemoved: 2 }),
        event('user.message', { content: 'right way' }),
      ),
    );
    expect(told(session)).toEqual(['user: go', 'assistant: one', 'user: right way']);
    expect(session.meta).toMatchObject({ compaction_at: [2] });
    expect(kinds(session)).toEqual(['rewound', 'sidechain']);
  });

  it('finds calls that are logged only when they start, and calls that users make', async () => {
    const session = await read(
      lines(
        start(),
        event('user.message', { content: 'go' }),
        event('assistant.message', { content: 'trying' }),
        event('tool.execution_start', {
          toolCallId: 'early',
          toolName: 'bash',
          arguments: { command: 'ls' },
        }),
        done('early', 'a.txt'),
        event('tool.user_requested', { toolCallId: 'mine', toolName: 'bash', arguments: { command: 'pwd' } }),
        event('tool.execution_start', { toolCallId: 'mine', toolName: 'bash' }),
        done('mine', '/home'),
      ),
    );
    expect(told(session)).toEqual([
      'user: go',
      'assistant: trying | call early bash({"command":"ls"})',
      'tool: early: a.txt',
      'user: Ran bash {"command":"pwd"}\n```\n/home\n```',
    ]);
    expect(kinds(session)).toEqual(['late-call']);
  });

  it('gives a legal request for a late result, a duplicate and a call that never ended, with notices', async () => {
    const session = await read(
      lines(
        start(),
        event('user.message', { content: 'go' }),
        event('assistant.message', { content: '', toolRequests: [request('a'), request('b')] }),
        done('a', 'one'),
        event('abort', { reason: 'user initiated' }),
        event('user.message', { content: 'wait' }),
        done('b', 'late'),
        done('b', 'again'),
        event('assistant.message', { content: 'ok', toolRequests: [request('c')] }),
        event('user.message', { content: 'stop' }),
      ),
    );
    const { messages, notices } = openaiChat.serialise(originals(session.parsed.messages));
    expect(validateOpenAiChat(messages, { openEnd: false })).toEqual([]);
    expect(notices.length).toBeGreaterThan(0);
  });

  it('reads an event once that is in the file twice, and gives a notice', async () => {
    const events = [
      start(),
      event('user.message', { content: 'go' }),
      event('assistant.message', { content: 'looking', toolRequests: [request('a')] }),
      done('a', 'one'),
    ];
    const more = event('user.message', { content: 'and?' });
    const found = await read(lines(...events, ...events, more));
    expect(told(found)).toEqual(told(await read(lines(...events, more))));
    expect(kinds(found)).toEqual(['repeated']);
  });

  it('refuses a file of events without messages', async () => {
    await expect(read(lines(start()))).rejects.toMatchObject({ code: 'INPUT_FORMAT' });
  });

  it.each(['__proto__', '__defineGetter__', 'constructor'])('ignores an event of type %s', async (type) => {
    const session = await read(lines(start(), event(type, {}), event('user.message', { content: 'go' })));
    expect(told(session)).toEqual(['user: go']);
  });
});
