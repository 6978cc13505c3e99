import type { Message } from '../../../src/index.js';
import { validators } from '../../../src/testkit/index.js';
import { prose, says, user, type Chat } from '../../support/chats.js';
import { engine, jsonLines, read, spillway, talk, temporaryFolder } from '../support.js';

const folder = temporaryFolder();
const FORMATS = ['openai-chat', 'openai-responses', 'anthropic', 'gemini', 'ai-sdk', 'langchain'] as const;
const LEVELS = 20_000;
const DEEP_TEXT = `${'['.repeat(LEVELS)}1${']'.repeat(LEVELS)}`;
const holdsItself: Record<string, unknown> = {};
holdsItself.inner = holdsItself;

/** Values that no request can carry. */
const VALUES: readonly (readonly [string, unknown])[] = [
  ['lists', JSON.parse(DEEP_TEXT)],
  ['objects', JSON.parse(`${'{"a":'.repeat(LEVELS)}1${'}'.repeat(LEVELS)}`)],
  ['a value that holds itself', holdsItself],
  ['a bigint', { id: 10n }],
];

class Parent {
  readonly child = { parent: this };
}

const throws = (): never => {
  throw new Error('Not now.');
};

/** Values that cannot be read, or that no store can write. */
const UNREADABLE: readonly (readonly [string, () => unknown])[] = [
  ['a getter that throws', () => Object.defineProperty({}, 'a', { get: throws, enumerable: true })],
  ['a toJSON that throws', () => ({ type: 'text', text: 'Hi.', toJSON: throws })],
  ['an instance that holds itself', () => ({ type: 'text', text: 'Hi.', of: new Parent() })],
  ['a proxy that throws', () => new Proxy({}, { get: throws, ownKeys: throws, getPrototypeOf: throws })],
];

const USER = { role: 'user', content: 'Build a mill.' };

/** Places of a request that may hold any value of a client. */
const PLACES: readonly (readonly [format: string, place: string, body: (value: unknown) => unknown])[] = [
  ['openai-chat', 'system', (value) => [{ role: 'system', content: value }, USER]],
  ['openai-chat', 'content', (value) => [{ role: 'user', content: value }]],
  ['openai-chat', 'tools', (value) => ({ messages: [USER], tools: [value] })],
  ['anthropic', 'system', (value) => ({ system: [value], messages: [USER] })],
  ['anthropic', 'content', (value) => ({ messages: [{ role: 'user', content: value }] })],
  [
    'anthropic',
    'input',
    (value) => [
      USER,
      { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: value }] },
    ],
  ],
  ['openai-responses', 'item', (value) => ({ input: [{ role: 'user', content: value }] })],
  ['openai-responses', 'tools', (value) => ({ input: 'Build a mill.', tools: [value] })],
  ['gemini', 'system', (value) => ({ systemInstruction: { parts: [value] }, contents: 'Build a mill.' })],
  ['gemini', 'parts', (value) => [{ role: 'user', parts: [value] }]],
  ['ai-sdk', 'system', (value) => ({ system: [{ role: 'system', content: value }], messages: [USER] })],
  ['ai-sdk', 'content', (value) => [{ role: 'user', content: [value] }]],
  ['langchain', 'content', (value) => [{ type: 'human', content: value }]],
];

describe('values that are nested too deeply, or cannot be read', () => {
  it.each(PLACES)(
    '%s, %s: a value that no request can carry is refused, and does not enter the log',
    async (format, _, body) => {
      for (const [, value] of VALUES) {
        const session = (await engine(4_000)).session({ format });
        await expect(session.follow(body(value))).rejects.toMatchObject({ code: 'INPUT_FORMAT' });
        expect(session.log.length).toBe(0);
      }
    },
  );

  it.each(PLACES)(
    '%s, %s: a value that cannot be read or written is refused, and the session goes on',
    async (format, place, body) => {
      for (const [at, [what, value]] of UNREADABLE.entries()) {
        // Each has its own file: one that is emptied while its log still exists may be locked for a moment.
        const store = `sqlite:${folder.file(`${format} ${place} ${at}.db`, '')}`;
        const spillway = await engine(4_000, {}, { store, format });
        const session = await spillway.open({ id: `${what}, ${place}` });
        const fault = { code: 'INPUT_FORMAT', message: expect.stringContaining('Not now.') };
        const circular = { code: 'INPUT_FORMAT', message: expect.stringContaining('circular') };
        await expect(session.follow(body(value()))).rejects.toMatchObject(
          what.startsWith('an instance') ? circular : fault,
        );
        // What was refused left nothing, and the session goes on.
        const said = format === 'gemini' ? [{ role: 'user', parts: [{ text: 'Hi' }] }] : [USER];
        const { appended } = await session.follow(said);
        expect([appended.length, session.log.length]).toEqual([1, 1]);
        await spillway.close();
      }
    },
  );

  it('a message with a value that cannot be read is refused as it is appended', async () => {
    const session = (await engine(4_000)).session();
    const message = {
      id: 'm',
      role: 'user',
      origin: 'user',
      parts: [{ type: 'text', text: 'Hi.' }],
    } as const;
    for (const [, value] of UNREADABLE) {
      const odd = [{ ...message, wire: value() }, value() as typeof message];
      for (const one of odd)
        expect(() => session.append(one)).toThrow(expect.objectContaining({ code: 'MESSAGE_INVALID' }));
    }
    await session.append(message);
    expect(session.log.length).toBe(1);
  });

  it.each(PLACES)('%s, %s: the validator of requests returns a list of faults', (format, _, body) => {
    for (const [what, value] of VALUES)
      expect([what, validators.get(format)!(body(value))]).toEqual([what, expect.any(Array)]);
  });

  it.each(['compact', 'replay', 'validate'])(
    'a file that is nested too deeply: %s reports it and exits with 1',
    async (command) => {
      const files = {
        'system.json': `{"system":${DEEP_TEXT},"messages":[{"role":"user","content":"x"}]}`,
        'content.json': `[\n{"role":"user","content":${DEEP_TEXT}}\n]`,
        'tools.json': `{"messages":[{"role":"user","content":"x"}],\n"tools":${DEEP_TEXT}}`,
      };
      for (const [name, text] of Object.entries(files)) {
        const { code, out, err } = await spillway([command, folder.file(name, text)]);
        expect([name, code, out]).toEqual([name, 1, '']);
        expect(err).toMatch(/^INPUT_FORMAT: .*more than 500 levels/);
      }
    },
  );

  it('a line of a recording that is nested too deeply is skipped and reported, and the rest is read', async () => {
    const file = folder.file(
      'line.jsonl',
      `${jsonLines([user('Build a mill.'), says('Gladly.')])}{"role":"user","content":${DEEP_TEXT}}\n`,
    );
    const { code, out, err } = await spillway(['compact', file, '--window', '4000']);
    expect([code, (JSON.parse(out) as unknown[]).length]).toEqual([0, 2]);
    expect(err).toContain('more than 500 levels');
  });
});

describe('arguments of a call that are nested too deeply to be written again', () => {
  const DEEP = [
    `{"a":${'['.repeat(5_000)}"hunter2"${']'.repeat(5_000)}}`,
    `{"path":"src/a.ts","password":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}`,
  ];
  const history: Chat[] = DEEP.flatMap((given, i) => [
    user('Build a mill.'),
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: `c${i}`, type: 'function', function: { name: 'edit_file', arguments: given } }],
    } as const,
    { role: 'tool', tool_call_id: `c${i}`, content: prose(200, i) } as const,
  ]);

  it('are sent, compacted and recalled as the text that they are', async () => {
    const session = (await engine(8_000)).session();
    for (let turn = 0; turn < 8; turn++) {
      history.push(...talk(1, 400), user(`Where is src/a.ts of turn ${turn}?`));
      await session.follow({ messages: history });
      const { messages } = await session.prepare();
      expect(validators.get('openai-chat')!({ messages })).toEqual([]);
    }
    expect(session.operator.history.length).toBeGreaterThan(0);
    const [call] = await session.recall({ handle: 'm1' });
    expect(call!.text).toContain(`edit_file {"a":${'['.repeat(100)}`);
  });

  it.each(FORMATS.filter((format) => format !== 'openai-chat'))(
    'are part of the requests of %s',
    async (format) => {
      const messages = read(history).map(({ wire: _, wireFormat: __, ...message }) => ({
        ...message,
        parts: message.parts.map(({ wire: ___, ...part }) => part),
      }));
      const session = (await engine(400_000)).session({ format });
      await session.append(...(messages as Message[]));
      const sent = await session.prepare();
      expect(JSON.stringify(sent.messages)).toContain('hunter2');
    },
  );
});

describe('numbers that change when they are read as a double', () => {
  const input = (n: string) =>
    `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"1e999, 12345678901234567890"},\n` +
    `{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{"n":${n}}}]},\n` +
    `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"ok"}]}]}`;

  it.each(['1e999', '12345678901234567890', '-0', '1.0', '9007199254740992', '0.12345678901234567', '1e22'])(
    'are written as they were read: %s',
    async (number) => {
      for (const text of [input(number), input(number).replaceAll('\n', '')]) {
        const { code, out } = await spillway(['compact', folder.file('read.json', text)]);
        expect(code).toBe(0);
        expect(out).toContain(`"input":{"n":${number}}`);
      }
    },
  );
});
