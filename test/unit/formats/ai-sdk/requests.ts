/** Everything that a list of ModelMessages can legally hold, once. */
export function everything(): Record<string, any>[] {
  return [
    {
      role: 'system',
      content: 'Be brief.',
      providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } },
    },
    { role: 'user', content: 'What is in this picture?' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Three of them.' },
        { type: 'image', image: 'aGk=', mediaType: 'image/png' },
        { type: 'image', image: new URL('https://example.test/a.png') },
        { type: 'file', data: new Uint8Array([1, 2, 3]), mediaType: 'application/pdf', filename: 'a.pdf' },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'I look.', providerOptions: { anthropic: { signature: 'c2ln' } } },
        { type: 'text', text: 'Let me look.', providerOptions: { google: { thoughtSignature: 'dGhv' } } },
        { type: 'tool-call', toolCallId: 'a', toolName: 'look', input: { at: 1, deep: { er: [1] } } },
        { type: 'tool-call', toolCallId: 'b', toolName: 'look', input: {}, extra: 'kept' },
      ],
    },
    {
      role: 'tool',
      content: [
        { type: 'tool-result', toolCallId: 'b', toolName: 'look', output: { type: 'text', value: 'a cat' } },
        {
          type: 'tool-result',
          toolCallId: 'a',
          toolName: 'look',
          output: {
            type: 'content',
            value: [
              { type: 'text', text: 'a dog' },
              { type: 'image-data', data: 'aGk=', mediaType: 'image/png' },
              { type: 'file-url', url: 'https://example.test/b.pdf', mediaType: 'application/pdf' },
            ],
          },
          providerOptions: { x: { y: 1 } },
        },
      ],
      providerOptions: { openai: { z: 1 } },
    },
    {
      role: 'assistant',
      content: [
        { type: 'tool-call', toolCallId: 'p', toolName: 'web', input: { q: 'cats' }, providerExecuted: true },
        {
          type: 'tool-result',
          toolCallId: 'p',
          toolName: 'web',
          output: { type: 'json', value: [{ url: 'u' }] },
        },
        { type: 'text', text: 'Cats.' },
      ],
    },
    { role: 'user', content: 'Remove it.' },
    {
      role: 'assistant',
      content: [
        { type: 'tool-call', toolCallId: 'a', toolName: 'remove', input: { path: 'x' } },
        { type: 'tool-approval-request', approvalId: 'ap1', toolCallId: 'a' },
        { type: 'tool-call', toolCallId: 'c', toolName: 'remove', input: { path: 'y' } },
        { type: 'tool-approval-request', approvalId: 'ap2', toolCallId: 'c' },
      ],
    },
    {
      role: 'tool',
      content: [
        { type: 'tool-approval-response', approvalId: 'ap1', approved: true },
        { type: 'tool-approval-response', approvalId: 'ap2', approved: false, reason: 'keep y' },
      ],
    },
    {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: 'a',
          toolName: 'remove',
          output: { type: 'json', value: { ok: true } },
        },
        {
          type: 'tool-result',
          toolCallId: 'c',
          toolName: 'remove',
          output: { type: 'execution-denied', reason: 'keep y' },
        },
      ],
    },
    { role: 'assistant', content: 'Removed.' },
    { role: 'assistant', content: [{ type: 'file', data: 'aGk=', mediaType: 'image/png' }] },
    { role: 'user', content: [{ type: 'text', text: 'Thanks.' }] },
  ];
}
