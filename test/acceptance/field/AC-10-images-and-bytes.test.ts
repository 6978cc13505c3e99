import { openaiChat } from '../../../src/index.js';
import {
  callOf,
  engine,
  read,
  resultOf,
  says,
  sessionOf,
  times,
  user,
  wordsOf,
  type Chat,
} from '../support.js';

const png = (bytes: number, letter: string) => ({
  type: 'image_url',
  image_url: { url: `data:image/png;base64,${letter.repeat(bytes)}` },
});

/** A few words and megabytes of screenshots, from the user and from a tool. */
const SCREENS: Chat[] = [
  user('Mend the page.'),
  ...[...'ABCDEF'].flatMap((letter, i): Chat[] => [
    { role: 'user', content: [{ type: 'text', text: `It looks like this (${i}).` }, png(350_000, letter)] },
    callOf([[`s${i}`, 'screenshot', {}]]),
    resultOf(`s${i}`, [{ type: 'text', text: `screen ${i}` }, png(350_000, letter.toLowerCase())]),
    says(`Screen ${i} is mended.`),
  ]),
  { role: 'user', content: [{ type: 'text', text: 'And this one?' }, png(350_000, 'Z')] },
];

const bytesOf = (messages: readonly unknown[]): number => Buffer.byteLength(JSON.stringify(messages));

describe('AC-10: images and bytes (230 tokens, 4.2 MB, answered with 413)', () => {
  it('tool definitions count as bytes', async () => {
    const tools = [{ type: 'function', function: { name: 'look', description: 'x'.repeat(50_000) } }];
    const spillway = await engine(200_000, { limits: { bytes: 60_000 } });
    const [bare, equipped] = [spillway.session(), spillway.session({ tools })];
    expect(equipped.reading.bytes - bare.reading.bytes).toBeGreaterThan(50_000);
    expect(equipped.reading).toMatchObject({ binding: 'bytes' });
  });

  it('many bytes cause pressure even if there are few tokens', async () => {
    const { reading } = await sessionOf(200_000, SCREENS, { limits: { bytes: 5_000_000 } });
    expect(reading).toMatchObject({ binding: 'bytes', images: 13 });
    expect(reading.byTokens).toBeLessThan(0.1);
    expect(reading.pressure).toBeGreaterThan(0.9);
    expect(reading.bytes).toBeGreaterThan(0.95 * bytesOf(SCREENS));
  });

  it('media of earlier turns become placeholders with a handle; text, pairs and the newest picture remain', async () => {
    const session = await sessionOf(200_000, SCREENS, { limits: { bytes: 1_000_000 } });
    const { messages, reading } = await session.prepare();
    expect(reading.bytes).toBeLessThanOrEqual(1_000_000);
    expect(bytesOf(messages)).toBeLessThanOrEqual(1_000_000);
    const sent = messages as Chat[];
    expect(sent).toHaveLength(SCREENS.length);
    expect(wordsOf(sent.at(-1))).toContain('ZZZZ');
    expect(wordsOf(sent[1])).toContain('It looks like this (0).');
    expect(wordsOf(sent[1])).toMatch(/\[image\/png, 350,0\d\d bytes, left out; m1#1\]/);
    expect(wordsOf(sent[3])).toContain('screen 0');
    expect(wordsOf(sent[3])).toMatch(/; m3#0/);
    expect(sent[3]).toMatchObject({ role: 'tool', tool_call_id: 's0' });
  });

  it('fresh results with three bytes a character next to one with one byte are cut until all fit', async () => {
    const ids = times(5, (i) => `c${i}`);
    const results = ids.map((id, i) => resultOf(id, i < 4 ? '界'.repeat(800) : 'word '.repeat(800)));
    const chat = [user('Read all.'), callOf(ids.map((id) => [id, 'read', {}])), ...results];
    const session = await sessionOf(20_000, chat, { limits: { bytes: 8_000 } });
    const { messages } = await session.prepare();
    expect(bytesOf(messages)).toBeLessThanOrEqual(8_000);
  });

  it('no more pictures leave than necessary, and the oldest leave first', async () => {
    const session = await sessionOf(200_000, SCREENS, { limits: { bytes: 5_000_000 } });
    const { messages } = await session.prepare();
    const left = [...'AaBbCcDdEeFfZ'].filter((letter) => wordsOf(messages).includes(letter.repeat(100)));
    expect(left.join('')).toMatch(/^(?:[a-z]|[A-Z])*Z$/);
    expect('AaBbCcDdEeFfZ'.endsWith(left.join(''))).toBe(true);
    expect(left.length).toBeGreaterThan(4);
  });

  it('a limit on the number of images holds', async () => {
    const session = await sessionOf(200_000, SCREENS, { limits: { images: 5 } });
    const { reading, messages } = await session.prepare();
    expect(reading.images).toBeLessThanOrEqual(5);
    expect(wordsOf(messages).match(/data:image/g)?.length).toBeLessThanOrEqual(5);
  });

  it('the log keeps every byte, and an undo brings all of them back', async () => {
    const session = await sessionOf(200_000, SCREENS, { limits: { bytes: 1_000_000 } });
    await session.prepare();
    session.operator.undo();
    expect(openaiChat.serialise(session.view).messages).toEqual(SCREENS);
    expect(read(SCREENS)).toHaveLength(session.log.length);
  });
});
