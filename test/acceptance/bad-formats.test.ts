import { formats, type Message } from '../../src/index.js';
import { validators } from '../../src/testkit/index.js';
import { engine, spillway, temporaryFolder } from './support.js';

type Loose = Record<string, any>;

const folder = temporaryFolder();
const NAMES = [...formats.keys()];
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

const said = (id: string, role: Message['role'], ...parts: Message['parts']): Message => ({
  id,
  role,
  origin: role === 'assistant' ? 'model' : role === 'tool' ? 'tool' : 'user',
  parts,
});
const text = (words: string) => ({ type: 'text' as const, text: words });
const call = (callId: string, args = '{"path":"a.ts"}') => ({
  type: 'tool-call' as const,
  callId,
  name: 'Read',
  arguments: args,
});
const result = (callId: string, words: string) => ({
  type: 'tool-result' as const,
  callId,
  content: [text(words)],
});
const picture = (data: string) => {
  const url = `data:image/png;base64,${data}`;
  return {
    type: 'file' as const,
    mediaType: 'image/png',
    bytes: url.length,
    wire: { type: 'image_url', image_url: { url } },
  };
};

const ORDERLY = [
  said('m0', 'user', text('Build a mill.'), picture(PNG)),
  said('m1', 'assistant', text('Looking.'), call('c1')),
  said('m2', 'tool', result('c1', 'a wheel')),
  said('m3', 'assistant', text('Done.')),
  said('m4', 'user', text('And now?')),
];

/** A request of the format, as its own client would have sent it. */
function bodyOf(name: string, messages: readonly Message[]): Loose {
  const format = formats.get(name)!;
  const size = { tokens: 0, bytes: 0, images: 0, parts: [] };
  const view = messages.map((message, seq) => ({
    message,
    size,
    from: seq,
    to: seq,
    source: { ...message, seq, size },
  }));
  const { messages: list, beside } = format.serialise(view);
  return JSON.parse(JSON.stringify({ ...beside, [format.messagesField]: list })) as Loose;
}

/** Compacts a body on the command line, read and written in the format, and validates the result. */
async function through(name: string, body: Loose, ...args: string[]) {
  const file = folder.file(`${name}-${Math.random()}.json`, JSON.stringify(body));
  const ran = await spillway([
    'compact',
    file,
    '--format',
    name,
    '--to',
    name,
    '--window',
    '4000',
    '--json',
    ...args,
  ]);
  const out = ran.code === 0 ? (JSON.parse(ran.out) as Loose) : undefined;
  const notices =
    ran.code === 0 ? (JSON.parse(ran.err.trim().split('\n').at(-1)!).notices as { kind: string }[]) : [];
  return {
    ...ran,
    sent: out,
    faults: out && validators.get(name)!(out),
    kinds: notices.map(({ kind }) => kind),
  };
}

describe.each(NAMES)('bad input in %s', (name) => {
  it('blocks of an unknown kind are kept unchanged, or named in a notice if the format allows none', async () => {
    const body = bodyOf(name, ORDERLY);
    const list = (Array.isArray(body) ? body : body[formats.get(name)!.messagesField]) as Loose[];
    const block = name === 'gemini' ? { hologram: { rays: [1, 2] } } : { type: 'hologram', rays: [1, 2] };
    const at = list.findLastIndex(
      (message) => message.role === 'user' || message.type === 'human' || message._getType === 'human',
    );
    const holder = list[at]!;
    const field = name === 'gemini' ? 'parts' : 'content';
    const target: Loose = holder[field] === undefined && holder.data ? holder.data : holder;
    const before: unknown = target[field];
    target[field] = [
      ...(Array.isArray(before)
        ? before
        : [{ type: name === 'openai-responses' ? 'input_text' : 'text', text: before }]),
      block,
    ];
    const { code, sent, kinds, faults } = await through(name, body);
    expect(code).toBe(0);
    if (JSON.stringify(sent).includes(JSON.stringify(block))) return;
    expect(kinds).toContain('unknown-part');
    expect(faults).toEqual([]);
  });

  it('a request with 8 MB of base64 in a picture is written as a legal request', async () => {
    const file = folder.file(
      `${name}-large.json`,
      JSON.stringify({
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'See' },
              { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(8_000_000)}` } },
            ],
          },
          { role: 'assistant', content: 'I see.' },
          { role: 'user', content: 'And now?' },
        ],
      }),
    );
    const ran = await spillway([
      'compact',
      file,
      '--to',
      name,
      '--window',
      '100000',
      '--out',
      `${folder.path}/${name}-out.json`,
    ]);
    expect(ran.code).toBe(0);
    expect(await spillway(['validate', `${folder.path}/${name}-out.json`, '--format', name])).toMatchObject({
      code: 0,
    });
  });
});

describe('a body that a session follows', () => {
  const asked = { role: 'user', content: 'Build a mill.' };

  it('is refused with the name of the other format if it has calls of that format', async () => {
    const made = await engine(9_000);
    const body = {
      messages: [
        asked,
        {
          role: 'assistant',
          content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'Read', input: {} }],
        },
      ],
    };
    for (const format of ['anthropic', 'openai-chat'])
      await expect(made.session({ format }).follow(body)).rejects.toMatchObject({
        code: 'SESSION_FORMAT',
        message: expect.stringContaining('calls as ai-sdk has them'),
      });
  });

  it('is accepted if a field of another format is null', async () => {
    const made = await engine(9_000);
    const session = made.session({ format: 'ai-sdk' });
    await session.follow({ messages: [{ ...asked, tool_calls: null }] });
    expect(session.log.length).toBe(1);
  });
});
