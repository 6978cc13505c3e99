import { HumanMessage } from '@langchain/core/messages';
import { engine, prose, read, says, system, talk, user, type Chat } from '../../../acceptance/support.js';
import { formats, type Session } from '../../../../src/index.js';
import type { WireFormat } from '../../../../src/spi/index.js';
import { historyOf, TRAITS } from '../../../../src/testkit/index.js';
import { unedited } from '../../../../src/testkit/formats/views.js';

type Body = Record<string, unknown>;
const ALL = [...formats.values()].map((format) => ({ name: format.name, format }));

async function following(format: string, budget = 1_000_000): Promise<Session> {
  return (await engine(budget, {}, { format })).session();
}

function bodyOf(format: WireFormat): Body {
  const { messages, beside } = format.serialise(unedited(historyOf({ seed: 7, length: 12, traits: TRAITS })));
  return JSON.parse(JSON.stringify({ ...beside, [format.messagesField]: messages })) as Body;
}

/** Changes every text of a value in place. */
function writeInto(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (['text', 'content', 'output'].includes(key) && typeof inner === 'string')
      (value as Body)[key] = `${inner} WRITTEN LATER`;
    else writeInto(inner);
  }
}

const textOf = (value: unknown): string => JSON.stringify(value);

async function sent(session: Session): Promise<string> {
  const { messages, beside } = await session.prepare();
  return textOf({ messages, beside });
}

describe.each(ALL)('objects that a client of $name goes on writing to', ({ name, format }) => {
  it('change the request only when it sends them again', async () => {
    const session = await following(name);
    const body = bodyOf(format);
    await session.follow(body);
    const before = await sent(session);
    const tokens = session.reading.tokens;
    writeInto(body);
    expect(await sent(session)).toBe(before);
    await session.follow(body);
    const once = await following(name);
    await once.follow(structuredClone(body));
    expect(await sent(session)).toBe(await sent(once));
    expect(await sent(session)).toContain('WRITTEN LATER');
    expect(session.reading.tokens).toBe(once.reading.tokens);
    expect(session.reading.tokens).toBeGreaterThan(tokens);
  });

  it('are not shared with a request: writing to a request changes neither them nor the next request', async () => {
    const session = await following(name);
    const body = bodyOf(format);
    const original = textOf(body);
    await session.follow(body);
    const first = await session.prepare();
    const before = textOf([first.messages, first.beside]);
    writeInto([first.messages, first.beside]);
    const second = await session.prepare();
    expect(textOf([second.messages, second.beside])).toBe(before);
    expect(textOf(body)).toBe(original);
  });

  it('are refused if they are circular, too deep or hold a bigint, and the request does not change', async () => {
    const session = await following(name);
    const body = bodyOf(format);
    await session.follow(body);
    const before = await sent(session);
    const items = body[format.messagesField] as readonly Body[];
    const cyclic: Body = { ...items[0] };
    cyclic.self = cyclic;
    let deep: unknown = 'here';
    for (let level = 0; level < 5_000; level++) deep = [deep];
    for (const odd of [cyclic, { ...items[0], deep }, { ...items[0], count: 12n }]) {
      const other = { ...body, [format.messagesField]: [odd, ...items.slice(1)] };
      await expect(session.follow(other)).rejects.toMatchObject({ code: 'INPUT_FORMAT' });
    }
    expect(await sent(session)).toBe(before);
  });
});

describe('a client that writes to what it has sent', () => {
  it('has messages that grew in place measured and compacted', async () => {
    const session = await following('openai-chat', 4_000);
    const history: Chat[] = [system('Be brief.'), user('Build a mill.'), says('Gladly.'), ...talk(6, 20)];
    await session.follow({ messages: history });
    await session.prepare();
    for (const message of history.slice(3, -1)) message.content = `${String(message.content)} ${prose(700)}`;
    history.push(user('Go on.'));
    const { rewound } = await session.follow({ messages: history });
    expect(rewound?.to).toBe(3);
    const { reading, run } = await session.prepare();
    expect(run.kind).toBe('committed');
    expect(reading.pressure).toBeLessThan(1);
  });

  it('has instructions that grew in place counted', async () => {
    const session = await following('openai-chat', 4_000);
    const history: Chat[] = [system('Be brief.'), user('Build a mill.')];
    await session.follow({ messages: history });
    const { tokens } = session.reading;
    history[0]!.content = prose(1_000);
    await session.follow({ messages: history });
    expect(session.reading.tokens).toBe(tokens - 3 + 1_000);
  });

  it('may put a cache mark on each request it gets: marks do not accumulate', async () => {
    const session = await following('anthropic');
    const history: { role: string; content: { type: 'text'; text: string }[] }[] = [];
    for (let turn = 0; turn < 8; turn++) {
      history.push({ role: 'user', content: [{ type: 'text', text: `Question ${turn}.` }] });
      await session.follow({ messages: history });
      const { messages } = await session.prepare();
      const newest = (messages as typeof history).at(-1)!.content.at(-1)!;
      Object.assign(newest, { cache_control: { type: 'ephemeral' } });
      expect(textOf(messages).split('cache_control').length - 1).toBe(1);
      history.push({ role: 'assistant', content: [{ type: 'text', text: `Answer ${turn}.` }] });
    }
    expect(textOf(history)).not.toContain('cache_control');
  });

  it('has a change to a class instance recognised, and gets an instance of its own back', async () => {
    const session = await following('langchain');
    const message = new HumanMessage('Build a mill.');
    await session.follow({ messages: [message] });
    message.content = 'Build a ship.';
    const { rewound } = await session.follow({ messages: [message] });
    expect(rewound).toEqual({ to: 0, left: 1 });
    const [given] = (await session.prepare()).messages as [HumanMessage];
    expect(HumanMessage.isInstance(given)).toBe(true);
    expect(given.text).toBe('Build a ship.');
    given.content = 'Build a barn.';
    expect(message.text).toBe('Build a ship.');
  });

  it('may write the next picture into the same bytes: the one it sent is kept', async () => {
    const session = await following('ai-sdk');
    const image = new Uint8Array([1, 2, 3, 4]);
    const content = [{ type: 'image', image, mediaType: 'image/png' }];
    const history: unknown[] = [{ role: 'user', content }];
    await session.follow({ messages: history });
    image.fill(9);
    const imageIn = async (): Promise<unknown> => {
      const [message] = (await session.prepare()).messages as [{ content: [{ image: unknown }] }];
      return message.content[0].image;
    };
    expect(await imageIn()).toEqual(new Uint8Array([1, 2, 3, 4]));
    expect((await session.follow({ messages: history })).rewound).toEqual({ to: 0, left: 1 });
    expect(await imageIn()).toEqual(new Uint8Array([9, 9, 9, 9]));
    // The same bytes in another array are the same picture.
    const again = [{ role: 'user', content: [{ ...content[0], image: image.slice() }] }];
    expect((await session.follow({ messages: again })).rewound).toBeUndefined();
  });

  it('may append messages itself: a later change to one does not reach the request', async () => {
    const session = await following('openai-chat');
    const history: Chat[] = [user('Build a mill.'), says('Gladly.'), user('Go on.')];
    await session.append(...read(history));
    const before = await sent(session);
    history[0]!.content = 'Build a ship.';
    expect(await sent(session)).toBe(before);
    const cyclic: Chat = { ...user('Well?') };
    cyclic.self = cyclic;
    const odd = { ...read([user('Well?')])[0]!, id: 'odd', wire: cyclic };
    expect(() => void session.append(odd)).toThrow(expect.objectContaining({ code: 'MESSAGE_INVALID' }));
    expect(session.log.length).toBe(3);
  });
});
