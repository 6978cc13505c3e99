import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages';
import type { BaseMessage } from '@langchain/core/messages';

/** Everything that a LangChain conversation can legally hold, once, as instances. */
export function everything(): BaseMessage[] {
  return [
    new SystemMessage('Be brief.'),
    new HumanMessage({ content: 'What is in this picture?', name: 'ann', id: 'h1' }),
    new HumanMessage({
      content: [
        { type: 'text', text: 'These.' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } },
        { type: 'file', mimeType: 'application/pdf', data: 'AQID', metadata: { filename: 'a.pdf' } },
      ],
    }),
    new AIMessage({
      id: 'run-1',
      content: [
        { type: 'thinking', thinking: 'I look.', signature: 'c2ln' },
        { type: 'text', text: 'Let me look.' },
        { type: 'tool_use', id: 'a', name: 'look', input: { at: 1 } },
        { type: 'tool_use', id: 'b', name: 'look', input: {} },
      ],
      tool_calls: [
        { id: 'a', name: 'look', args: { at: 1 }, type: 'tool_call' },
        { id: 'b', name: 'look', args: {}, type: 'tool_call' },
      ],
      response_metadata: { model: 'm' },
      usage_metadata: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
    } as any),
    new ToolMessage({ content: 'a cat', tool_call_id: 'b', name: 'look', artifact: { raw: [1] } }),
    new ToolMessage({
      content: [
        { type: 'text', text: 'a dog' },
        { type: 'image_url', image_url: { url: 'https://example.test/a.png' } },
      ],
      tool_call_id: 'a',
      name: 'look',
      status: 'error',
    }),
    new AIMessage({
      content: '',
      tool_calls: [{ id: 'a', name: 'look', args: { again: true }, type: 'tool_call' }],
      additional_kwargs: {
        reasoning_content: 'Once more.',
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'look', arguments: '{"again":true}' } }],
      },
    }),
    new ToolMessage({ content: 'a bird', tool_call_id: 'a' }),
    new AIMessage({
      content: [
        { type: 'server_tool_call', id: 's', name: 'web', args: { q: 'x' } },
        { type: 'server_tool_call_result', toolCallId: 's', status: 'success', output: 'y' },
        { type: 'text', text: 'Cats, dogs and birds.' },
      ] as any,
    }),
    new HumanMessage('Thanks.'),
  ];
}
