import { anthropic, openaiChat } from '../../../src/formats/index.js';
import { validateAnthropic } from '../../../src/testkit/index.js';
import { engine, prose, says, system, user, type Chat } from '../support.js';

interface Request {
  readonly system?: unknown;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

async function request(chat: readonly Chat[], budget = 100_000): Promise<Request> {
  const session = (await engine(budget, {}, { format: 'anthropic' })).session();
  await session.append(...openaiChat.parse(chat).messages);
  const { messages, beside } = await session.prepare();
  const body = { ...beside, messages } as Request;
  expect(validateAnthropic(body)).toEqual([]);
  return body;
}

const roles = ({ messages }: Request): string => messages.map(({ role }) => role).join(' ');

describe('AC-22: quirks of the Messages API', () => {
  it('AC-22: the last message is from the user, even if the assistant spoke last', async () => {
    expect(roles(await request([user('Hi.'), says('Hello.')]))).toBe('user assistant user');
  });

  it('AC-22: the first message is from the user, also if a summary replaces the beginning', async () => {
    expect(roles(await request([says('Hello.'), user('Hi.')]))).toBe('user assistant user');
    const long = Array.from({ length: 60 }, (_, i) => [user(prose(60, i)), says(prose(60, i + 99))]).flat();
    const compacted = await request([...long, user('And?')], 3_000);
    expect(compacted.messages[0]!.role).toBe('user');
    expect(compacted.messages.length).toBeLessThan(60);
  });

  it('AC-22: the last user message remains, word for word', async () => {
    const long = Array.from({ length: 60 }, (_, i) => [user(prose(60, i)), says(prose(60, i + 99))]).flat();
    const last = `Never mind the rest: ${prose(100, 7)}`;
    expect(JSON.stringify((await request([...long, user(last)], 3_000)).messages.at(-1))).toContain(
      JSON.stringify(last).slice(1, -1),
    );
  });

  it('AC-22: leading system messages become one list next to the messages, and a later one a message', async () => {
    const body = await request([
      system('Be brief.'),
      system('Be kind.'),
      user('Hi.'),
      says('Yes?'),
      system('Be quick.'),
      user('Go.'),
    ]);
    expect(body.system).toEqual([
      { type: 'text', text: 'Be brief.' },
      { type: 'text', text: 'Be kind.' },
    ]);
    expect(JSON.stringify(body.messages)).toContain('Be quick.');
    expect(roles(body)).toBe('user assistant user');
  });

  it('AC-22: two messages of the assistant in a row become one turn', async () => {
    expect(roles(await request([user('Hi.'), says('One.'), says('Two.'), user('Go.')]))).toBe(
      'user assistant user',
    );
  });

  it('AC-10: pictures over the limits become placeholders with a handle, and the request stays legal', async () => {
    const picture = {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(40_000) },
    };
    const wire = Array.from({ length: 12 }, (_, i) => [
      { role: 'user', content: [{ type: 'text', text: `What is on picture ${i}?` }, picture] },
      { role: 'assistant', content: [{ type: 'text', text: `A mill, number ${i}.` }] },
    ]).flat();
    const { messages } = anthropic.parse({ messages: [...wire, { role: 'user', content: 'And now?' }] });
    const ai = await engine(100_000, { limits: { bytes: 200_000, images: 4 } }, { format: 'anthropic' });
    const session = ai.session();
    await session.append(...messages);
    const sent = await session.prepare();
    expect(validateAnthropic(sent.messages)).toEqual([]);
    const text = JSON.stringify(sent.messages);
    expect(text.length).toBeLessThan(200_000);
    expect(text.split('"type":"image"').length - 1).toBeLessThanOrEqual(4);
    expect(/; m\d+#1\]/.test(text)).toBe(true);
  });
});
