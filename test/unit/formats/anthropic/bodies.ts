/** Requests of the Messages API, as clients send them. */

export type Loose = Record<string, any>;

const mark = { type: 'ephemeral' };
const image = () => ({
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: 'aGVsbG8=' },
});

/** Every feature of the wire once, all of it legal. */
export const everything = (): Loose => ({
  model: 'claude-sonnet-4-5',
  max_tokens: 1_000,
  system: [
    { type: 'text', text: 'Be brief.' },
    { type: 'text', text: 'The house rules.', cache_control: mark },
  ],
  tools: [{ name: 'read', input_schema: { type: 'object' }, description: 'Reads.' }],
  messages: [
    {
      content: [
        { type: 'text', text: '<system-reminder>The time is noon.</system-reminder>' },
        { type: 'text', text: 'What do these show?', cache_control: mark },
        image(),
        { type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } },
        {
          type: 'document',
          source: { type: 'base64', media_type: 'application/pdf', data: 'aGVsbG8=' },
          title: 'plan.pdf',
          citations: { enabled: true },
        },
        { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'The plan is old.' } },
        {
          type: 'search_result',
          source: 'https://example.org',
          title: 'A page',
          content: [{ type: 'text', text: 'words' }],
        },
        { type: 'container_upload', file_id: 'file_1' },
      ],
      role: 'user',
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'I look first.', signature: 'c2ln' },
        { type: 'redacted_thinking', data: 'ZW5j' },
        {
          type: 'text',
          text: 'I read two files.',
          citations: [{ type: 'char_location', cited_text: 'old', document_index: 1 }],
        },
        { type: 'tool_use', id: 'toolu_1', name: 'read', input: { z: 1, a: { c: 2, b: 3 } } },
        { type: 'tool_use', id: 'toolu_2', name: 'read', input: {}, cache_control: mark },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'toolu_2', content: [{ type: 'text', text: 'two' }, image()] },
        { type: 'tool_result', tool_use_id: 'toolu_1', content: 'no such file', is_error: true },
        { type: 'text', text: '<system-reminder>Be quick.</system-reminder>' },
        { type: 'text', text: 'Hurry.', cache_control: mark },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Search.', signature: 'c2lnMg==' },
        { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'mills' } },
        {
          type: 'web_search_tool_result',
          tool_use_id: 'srvtoolu_1',
          content: [{ type: 'web_search_result', url: 'https://example.org', encrypted_content: 'x' }],
        },
        { type: 'mcp_tool_use', id: 'mcptoolu_1', name: 'echo', server_name: 'one', input: {} },
        { type: 'mcp_tool_result', tool_use_id: 'mcptoolu_1', is_error: false, content: [] },
        { type: 'text', text: 'Here it is.' },
      ],
    },
    { role: 'user', content: 'And now?' },
    { role: 'user', content: [{ type: 'text', text: 'I mean it.' }] },
    { role: 'system', content: 'Answer in French from here on.' },
    { role: 'assistant', content: 'Bon.' },
    { role: 'user', content: [{ type: 'text', text: 'Merci.' }] },
  ],
});

export const use = (id: string, input: Loose = {}, name = 'read'): Loose => ({
  type: 'tool_use',
  id,
  name,
  input,
});
export const result = (id: string, content: unknown = `result of ${id}`): Loose => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
});
export const text = (words: string): Loose => ({ type: 'text', text: words });
export const user = (...content: unknown[]): Loose => ({ role: 'user', content });
export const assistant = (...content: unknown[]): Loose => ({ role: 'assistant', content });
export const thinking = (words: string, signature = `sig of ${words}`): Loose => ({
  type: 'thinking',
  thinking: words,
  signature,
});
