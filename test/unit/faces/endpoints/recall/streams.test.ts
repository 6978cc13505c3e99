import { CHAT, MESSAGES, type Endpoint } from '../../../../../src/faces/endpoints/index.js';

/** The step that an answer's events come to. */
function stepOf({ recall }: Endpoint, events: readonly Record<string, unknown>[]) {
  const stream = recall.stream();
  for (const event of events) expect(JSON.stringify([...stream.take(event)])).not.toContain('recall');
  return stream.endAnswer();
}

const chunk = (delta: object, finish: string | null = null) => ({
  id: 'c',
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const call = { id: 'call_r', type: 'function', function: { name: 'recall', arguments: '{"query":"mill"}' } };

it('keeps the sealed reasoning of a streamed chat with its recall', () => {
  const detail = { type: 'reasoning.text', format: 'f', index: 0 };
  const step = stepOf(CHAT, [
    chunk({
      role: 'assistant',
      content: '',
      reasoning: 'I ',
      reasoning_details: [{ ...detail, text: 'I ' }],
    }),
    chunk({ reasoning: 'see.', reasoning_details: [{ ...detail, text: 'see.' }] }),
    chunk({ reasoning_details: [{ ...detail, text: null, signature: 'S' }] }),
    chunk({ reasoning_details: [{ type: 'reasoning.encrypted', data: 'E', index: 1 }] }),
    chunk({ content: 'Let me look.' }),
    chunk({ tool_calls: [{ index: 0, ...call }] }),
    chunk({}, 'tool_calls'),
  ]);
  const thoughts = {
    reasoning: 'I see.',
    reasoning_details: [
      { ...detail, text: 'I see.', signature: 'S' },
      { type: 'reasoning.encrypted', data: 'E', index: 1 },
    ],
  };
  const message = { role: 'assistant', ...thoughts, tool_calls: [call] };
  expect(step).toMatchObject({
    logged: [{ ...message, content: null }],
    complete: [{ ...message, content: 'Let me look.' }],
    isCut: false,
  });
});

it('keeps what Anthropic ran itself, with its sources, in the whole of a streamed answer', () => {
  const started = (index: number, content_block: object) => ({
    type: 'content_block_start',
    index,
    content_block,
  });
  const told = (index: number, delta: object) => ({ type: 'content_block_delta', index, delta });
  const search = { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} };
  const found = { type: 'web_search_tool_result', tool_use_id: 's1', content: [{ title: 'Mills' }] };
  const recall = { type: 'tool_use', id: 't1', name: 'recall', input: {} };
  const thought = { type: 'thinking', thinking: '', signature: '' };
  const step = stepOf(MESSAGES, [
    { type: 'message_start', message: { usage: { input_tokens: 5, output_tokens: 1 } } },
    started(0, { ...thought }),
    told(0, { type: 'thinking_delta', thinking: 'Hm.' }),
    told(0, { type: 'signature_delta', signature: 'S' }),
    started(1, search),
    told(1, { type: 'input_json_delta', partial_json: '{"query":"mills"}' }),
    started(2, found),
    started(3, { type: 'text', text: '', citations: null }),
    told(3, { type: 'text_delta', text: 'So.' }),
    told(3, { type: 'citations_delta', citation: { url: 'https://e.x' } }),
    started(4, { type: 'text', text: '' }),
    started(5, recall),
    told(5, { type: 'input_json_delta', partial_json: '{"query":"mill"}' }),
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 9 } },
    { type: 'message_stop' },
  ]);
  const [own, asked] = [
    { type: 'thinking', thinking: 'Hm.', signature: 'S' },
    { ...recall, input: { query: 'mill' } },
  ];
  expect(step.logged).toEqual([{ role: 'assistant', content: [own, asked] }]);
  expect(step.complete).toEqual([
    {
      role: 'assistant',
      content: [
        own,
        { ...search, input: { query: 'mills' } },
        found,
        { type: 'text', text: 'So.', citations: [{ url: 'https://e.x' }] },
        asked,
      ],
    },
  ]);
});

it('holds long thoughts in time that grows with them, and not with their square', () => {
  const stream = MESSAGES.recall.stream();
  const take = (event: Record<string, unknown>) => [...stream.take(event)];
  take({ type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } });
  const delta = { type: 'thinking_delta', thinking: 'word ' };
  const began = performance.now();
  for (let piece = 0; piece < 30_000; piece++) take({ type: 'content_block_delta', index: 0, delta });
  expect(performance.now() - began).toBeLessThan(10_000);
  const shown = take({ type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } });
  expect(shown).toHaveLength(30_002);
});
