import { jsonLines, says, spillway, temporaryFolder, user } from '../support.js';

const folder = temporaryFolder();
/** Sets the title, clears the screen, hides what follows, and reverses its direction. */
const ESCAPES = '\u001b]0;taken\u0007\u001b[2J\u009b8m\u202e';
// eslint-disable-next-line no-control-regex
const OBEYED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/;

const REQUEST = JSON.stringify({
  messages: [
    { role: `assistant${ESCAPES}`, content: 'x' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: `c${ESCAPES}`, type: 'function', function: { name: `n${ESCAPES}`, arguments: '{' } },
      ],
    },
    { role: 'tool', tool_call_id: `z${ESCAPES}`, content: 'r' },
    { role: 'user', content: [{ type: `x${ESCAPES}` }] },
  ],
});

describe('files of strangers, on a terminal', () => {
  it.each(['openai-chat', 'anthropic', 'gemini', 'openai-responses'])(
    'validate as %s prints no control characters that a terminal would obey',
    async (format) => {
      const { code, out, err } = await spillway([
        'validate',
        folder.file('escapes.json', REQUEST),
        '--format',
        format,
      ]);
      expect(code).toBe(1);
      expect(out + err).not.toMatch(OBEYED);
    },
  );

  it('the report of repairs prints no control characters', async () => {
    const { code, err } = await spillway([
      'compact',
      folder.file('mended.json', REQUEST),
      '--window',
      '4000',
    ]);
    expect(code).toBe(0);
    expect(err).toContain('mended');
    expect(err).not.toMatch(OBEYED);
  });

  it('an error that quotes a file prints no control characters', async () => {
    const file = folder.file('torn.json', `{"messages": [${ESCAPES}`);
    for (const command of [
      ['validate', file],
      ['compact', file],
      ['replay', file],
    ]) {
      const { code, err } = await spillway(command);
      expect([code, err.match(OBEYED)]).toEqual([1, null]);
    }
  });
});

describe('bytes that are not part of the text of a file', () => {
  const MARK = Buffer.from([0xef, 0xbb, 0xbf]);
  const BODY = Buffer.from(JSON.stringify({ messages: [{ role: 'user', content: 'Build a mill.' }] }));

  it('validate, compact and config print ignore a byte order mark', async () => {
    const file = folder.file('marked.json', Buffer.concat([MARK, BODY]));
    expect((await spillway(['validate', file])).code).toBe(0);
    expect((await spillway(['compact', file, '--window', '4000'])).code).toBe(0);
    const settings = folder.file('marked.yaml', Buffer.concat([MARK, Buffer.from('target: 0.5\n')]));
    expect((await spillway(['config', 'print', '--config', settings])).code).toBe(0);
  });

  it('validate refuses a recording, and says how to make a request of it', async () => {
    const lines = '{"role":"user","content":"Build a mill."}\n{"role":"assistant","content":"Gladly."}\n';
    const { code, err } = await spillway(['validate', folder.file('recorded.jsonl', lines)]);
    expect([code, err]).toEqual([1, expect.stringMatching(/^INPUT_FORMAT: .*a recording.*spillway compact/)]);
  });

  it('validate refuses UTF-16, and names it', async () => {
    const file = folder.file('wide.json', Buffer.from(`\ufeff${BODY.toString()}`, 'utf16le'));
    const { code, err } = await spillway(['validate', file]);
    expect([code, err.split(':')[0], err.includes('UTF-16')]).toEqual([1, 'INPUT_FORMAT', true]);
  });

  it.each([
    [
      'one value',
      (bad: Buffer) =>
        Buffer.concat([Buffer.from('[\n{"role":"user","content":"h'), bad, Buffer.from('llo"}]')]),
    ],
    [
      'lines, the bad byte beyond the first piece that is read',
      (bad: Buffer) =>
        Buffer.concat([
          Buffer.from(jsonLines([user('ä€😀'.repeat(150_000)), says('Yes.')])),
          Buffer.from('{"role":"user","content":"h'),
          bad,
          Buffer.from('llo"}\n'),
        ]),
    ],
  ])('compact reports bytes that are not UTF-8: %s', async (_, file) => {
    const run = (bad: Buffer) =>
      spillway(['compact', folder.file('bytes.json', file(bad)), '--window', '2000000']);
    expect((await run(Buffer.from([0xe4]))).err).toContain('no UTF-8');
    expect((await run(Buffer.from('ä'))).err).not.toContain('no UTF-8');
  });
});

describe('a file that is not a configuration', () => {
  const SECRETS = 'root:x:0:0\naws_secret_access_key = wJalrXUtnFEMI\n';

  it.each([
    ['named', () => folder.file('secrets.txt', SECRETS)],
    [
      'extended',
      () => {
        folder.file('secrets.txt', SECRETS);
        return folder.file('extends.yaml', 'extends: ./secrets.txt\n');
      },
    ],
    [
      'with keys of its own',
      () => {
        folder.file('keys.txt', 'password: wJalrXUtnFEMI\nclients:\n  - token: wJalrXUtnFEMI\n');
        return folder.file('keys.yaml', 'extends: ./keys.txt\n');
      },
    ],
  ])('is not quoted in the error: %s', async (_, file) => {
    const { code, err } = await spillway(['config', 'print', '--config', file()]);
    expect([code, err.split(':')[0]]).toEqual([1, 'CONFIG_INVALID']);
    expect(err).not.toMatch(/wJalr|root:x/);
  });
});

it.each(['opencode', 'gemini-cli', 'claude-code', 'corpus'])(
  'a file that is not of the named format, %s, causes no internal error, whatever it contains',
  async (format) => {
    const contents = [
      '{}',
      '{\n}',
      '[]',
      '[null]',
      '5',
      'null',
      '[{}]',
      '{"messages": 5}',
      '{"traj": {}}',
      REQUEST,
    ];
    for (const content of contents) {
      const { code, err } = await spillway([
        'compact',
        folder.file('named.json', content),
        '--format',
        format,
        '--window',
        '4000',
      ]);
      expect([content, code === 0 || code === 1, err.includes('INTERNAL')]).toEqual([content, true, false]);
    }
  },
);
