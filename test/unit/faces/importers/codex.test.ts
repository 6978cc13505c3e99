import { openaiResponses } from '../../../../src/formats/openai-responses/index.js';
import { validateOpenAiResponses } from '../../../../src/testkit/index.js';
import { originals } from '../../formats/views.js';
import { lines, sessionFiles, told } from './files.js';

const read = sessionFiles();
const readRollout = (...values: readonly unknown[]) => read(lines(...values));

const item = (payload: unknown, second = 0) => ({
  timestamp: `2026-04-13T12:53:${String(second).padStart(2, '0')}.000Z`,
  type: 'response_item',
  payload,
});
const HEAD = {
  timestamp: '2026-04-13T12:53:00.000Z',
  type: 'session_meta',
  payload: { id: 's1', cli_version: '0.120.0', base_instructions: { text: 'You are Codex.' } },
};
const said = (role: string, text: string) => ({
  type: 'message',
  role,
  content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }],
});

const ROLLOUT = [
  HEAD,
  { timestamp: 't', type: 'event_msg', payload: { type: 'user_message', message: 'mend it' } },
  { timestamp: 't', type: 'turn_context', payload: { model: 'gpt-5.4' } },
  item(said('developer', '<permissions instructions>read only</permissions instructions>')),
  item(said('user', '<environment_context>\n<cwd>/src</cwd>\n</environment_context>')),
  item(said('user', 'mend it'), 1),
  item({ type: 'reasoning', summary: [], content: null }, 2),
  item(said('assistant', 'Reading.'), 3),
  item({ type: 'function_call', name: 'exec_command', arguments: '{"cmd":"pwd"}', call_id: 'c1' }, 3),
  item(
    {
      type: 'custom_tool_call',
      status: 'completed',
      name: 'apply_patch',
      input: '*** Begin Patch',
      call_id: 'c2',
    },
    3,
  ),
  item({ type: 'function_call_output', call_id: 'c1', output: '/src' }, 4),
  item({ type: 'custom_tool_call_output', call_id: 'c2', output: 'Success.' }, 4),
  item({ type: 'ghost_snapshot', ghost_commit: { id: 'x' } }, 4),
  { timestamp: 't', type: 'compacted', payload: { message: 'so far' } },
  item({ type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'x' } }, 5),
  item(said('assistant', 'Done.'), 6),
];

describe('a Codex rollout', () => {
  it('is recognised, and read as the session that its requests held', async () => {
    const { format, how, parsed, meta } = await readRollout(...ROLLOUT);
    expect([format, how]).toEqual(['codex', expect.stringContaining('session_meta')]);
    expect(meta).toEqual({ id: 's1', model: 'gpt-5.4', agent_version: '0.120.0', compaction_at: [7] });
    expect(parsed.model).toBe('gpt-5.4');
    expect(
      parsed.messages.map(({ role, origin, parts }) => [role, origin, parts.map(({ type }) => type)]),
    ).toEqual([
      ['system', 'system', ['text']],
      ['system', 'system', ['text']],
      ['user', 'synthetic', ['text']],
      ['user', 'user', ['text']],
      ['assistant', 'model', ['text', 'tool-call', 'tool-call']],
      ['tool', 'tool', ['tool-result']],
      ['tool', 'tool', ['tool-result']],
      ['assistant', 'model', ['opaque', 'text']],
    ]);
    expect(parsed.messages[4]!.createdAt).toBe(Date.parse('2026-04-13T12:53:03.000Z'));
    expect(parsed.notices.map(({ kind }) => kind)).toEqual(['unreadable-reasoning']);
  });

  it('takes back the turns that were rolled back, each from the words of a user on', async () => {
    const rollback = (turns: unknown) => ({
      type: 'event_msg',
      payload: { type: 'thread_rolled_back', num_turns: turns },
    });
    const more = [
      item(said('user', '<turn_aborted>\nby hand\n</turn_aborted>')),
      item(said('user', 'again')),
    ];
    const compacted = { type: 'compacted', payload: { message: 'so far' } };
    const wordsOf = async (...turns: readonly unknown[]) =>
      told(
        await readRollout(...ROLLOUT, ...more, compacted, ...turns.map(rollback), item(said('user', 'anew'))),
      );
    const whole = await wordsOf();
    expect(await wordsOf(0, 'x', -1)).toEqual(whole);
    expect(await wordsOf(1)).toEqual([...whole.slice(0, -2), 'user: anew']);
    expect(await wordsOf(1, 1)).toEqual([...whole.slice(0, 3), 'user: anew']);
    expect(await wordsOf(9)).toEqual([...whole.slice(0, 3), 'user: anew']);
    const { meta, parsed } = await readRollout(...ROLLOUT, ...more, compacted, rollback(1), ...more);
    expect(meta).toMatchObject({ compaction_at: [7] });
    expect(parsed.notices.at(-1)).toMatchObject({ kind: 'rewound', what: expect.stringMatching(/^1 items/) });
  });

  it('goes back to the Responses wire item for item', async () => {
    const { parsed } = await readRollout(...ROLLOUT);
    const { messages, beside } = openaiResponses.serialise(originals(parsed.messages));
    const wanted = ROLLOUT.filter(({ type }) => type === 'response_item')
      .map(({ payload }) => payload as { type: string })
      .filter(({ type }) => type !== 'reasoning' && type !== 'ghost_snapshot');
    expect(messages).toEqual(wanted);
    expect(beside).toEqual({ instructions: 'You are Codex.' });
    expect(validateOpenAiResponses({ input: messages, ...beside })).toEqual([]);
  });

  it('is refused where nothing was said', async () => {
    await expect(readRollout(HEAD)).rejects.toMatchObject({ code: 'INPUT_FORMAT' });
  });
});
