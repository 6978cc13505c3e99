/** Legal generateContent requests, written by hand. */
export type Loose = Record<string, any>;

export const turn = (role: string, ...parts: (string | Loose)[]): Loose => ({
  role,
  parts: parts.map((part) => (typeof part === 'string' ? { text: part } : part)),
});
export const call = (name: string, args: Loose = { path: 'a.ts' }, more: Loose = {}): Loose => ({
  functionCall: { name, args },
  ...more,
});
export const answer = (name: string, output = `output of ${name}`, more: Loose = {}): Loose => ({
  functionResponse: { ...more, name, response: { output } },
});
export const signed = (letter: string): Loose => ({ thoughtSignature: `sig-${letter}` });

/** Everything legal, once. */
export const everything = (): { contents: Loose[] } & Loose => ({
  systemInstruction: { parts: [{ text: 'Be brief.' }, { text: 'Work in src.' }] },
  tools: [{ functionDeclarations: [{ name: 'read' }] }],
  generationConfig: { temperature: 0 },
  contents: [
    turn('user', 'Mend the build.', { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }),
    turn(
      'model',
      { text: 'Two files, I think.', thought: true },
      'Reading.',
      call('read', { zeta: 1, alpha: 2 }, signed('a')),
      call('read', { path: 'b.ts' }),
    ),
    turn('user', answer('read', 'one'), answer('read', 'two')),
    turn('model', call('list', {}, signed('b'))),
    turn('user', { functionResponse: { name: 'list', response: { error: 'no such folder' } } }),
    turn(
      'model',
      { executableCode: { language: 'PYTHON', code: '1+1' } },
      { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '2' } },
      { text: 'It is two.', ...signed('c') },
    ),
    turn(
      'user',
      { fileData: { mimeType: 'video/mp4', fileUri: 'https://example.com/v' }, videoMetadata: { fps: 1 } },
      'Watch this.',
    ),
    turn('model', call('look', {}, { ...signed('d'), functionCall: { id: 'x1', name: 'look', args: {} } })),
    turn('user', {
      functionResponse: {
        id: 'x1',
        name: 'look',
        response: { output: 'a picture' },
        parts: [{ inlineData: { mimeType: 'image/jpeg', data: 'AAAA' } }],
      },
    }),
    turn('model', call('read', { path: 'c.ts' }, signed('e')), call('list', {})),
    turn('user', answer('read'), answer('list')),
  ],
});

/** The same content in the spelling of REST examples. */
export const snake = (): { contents: Loose[] } & Loose => ({
  system_instruction: { parts: [{ text: 'Be brief.' }] },
  contents: [
    turn('user', 'Look.', { inline_data: { mime_type: 'image/png', data: 'AAAA' } }),
    turn('model', { function_call: { name: 'read', args: { path: 'a' } }, thought_signature: 'sig' }),
    turn('user', { function_response: { name: 'read', response: { output: 'long words' } } }),
  ],
});
