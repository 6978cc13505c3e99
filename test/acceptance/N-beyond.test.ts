import { describe, expect, it } from '@jest/globals';
import { SpillwayError, type PressureEvent, type Reading } from '../../src/index.js';
import {
  engine,
  fill,
  prose,
  read,
  resultOf,
  callOf,
  says,
  sessionOf,
  system,
  talk,
  user,
  wordsOf,
  type Chat,
} from './support.js';

const TALK = [system('Be brief.'), user('Build a mill.'), says('Gladly.'), ...talk(20, 300)];

describe('N4: the convergence contract', () => {
  it('computes what can never go before anything is planned, and says what it is made of', async () => {
    const spillway = await engine(2_000, { pins: { share: 0.2 } });
    const tools = [{ type: 'function', function: { name: 'search', description: prose(600) } }];
    const session = spillway.session({ tools });
    session.append(...read([system(prose(300, 1)), ...talk(3, 300), user(prose(1_500, 2))]));
    const events: PressureEvent<Reading>[] = [];
    session.events.subscribe((event) => events.push(event));
    const error = await session.prepare().then(
      () => undefined,
      (reason: unknown) => reason as SpillwayError,
    );
    expect(error).toBeInstanceOf(SpillwayError);
    expect(error).toMatchObject({ code: 'BUDGET_UNREACHABLE', retryable: false });
    const { floor, limit } = error!.facts as {
      floor: { total: number; parts: Record<string, number> };
      limit: number;
    };
    expect(limit).toBe(2_000);
    expect(floor.total).toBeGreaterThan(limit);
    expect(Object.values(floor.parts).reduce((sum, part) => sum + part, 0)).toBeCloseTo(floor.total);
    expect(floor.parts.tools).toBeGreaterThan(600);
    expect(floor.parts.unansweredUser).toBeGreaterThanOrEqual(1_500);
    expect(error!.message).toMatch(/2000 tokens/);
    // No stage was asked, nothing was committed, nothing is lost.
    expect(events.map(({ kind }) => kind)).toEqual(['reading', 'triggered', 'warning', 'failed']);
    expect(session.operator.ledger.records).toEqual([]);
    expect(session.log.length).toBe(8);
  });

  it('goes on as soon as what was too large is gone', async () => {
    const session = await sessionOf(2_000, [system('Be brief.'), user('Build a mill.'), says('Gladly.')]);
    fill(session, 1.2);
    await expect(session.prepare()).rejects.toMatchObject({ code: 'BUDGET_UNREACHABLE' });
    session.append({
      id: 'answer',
      role: 'assistant',
      origin: 'model',
      parts: [{ type: 'text', text: 'So be it.' }],
    });
    const { reading, run } = await session.prepare();
    expect(run.kind).toBe('committed');
    expect(reading.pressure).toBeLessThanOrEqual(1);
  });

  it.each([
    // A tenth of 20,000 tokens; the gate at 0.84 that is passed on the way opens nothing.
    [0.805, 500, ['noop', 'waiting', 'waiting', 'waiting', 'noop', 'waiting']],
    // From 0.95 on a quarter of it is enough.
    [0.955, 200, ['noop', 'waiting', 'waiting', 'noop', 'waiting']],
  ])(
    'N4: tries again from %d on only after enough new tokens, %d at a time',
    async (from, tokens, expected) => {
      const session = await sessionOf(20_000, [user('Think aloud.'), says('I will.')], { minGain: 0.1 });
      const think = (tokens: number, i: number): Promise<void> =>
        session.append({
          id: `t${i}`,
          role: 'assistant',
          origin: 'model',
          parts: [{ type: 'text', text: prose(tokens, i) }],
          pinned: true,
        });
      for (let i = 0; i < 4; i++) think(1_900, i);
      fill(session, from);
      const kinds: string[] = [];
      for (const i of expected.keys()) {
        if (i > 0)
          session.append({
            id: `u${i}`,
            role: 'user',
            origin: 'user',
            parts: [{ type: 'text', text: prose(tokens - 4, i) }],
          });
        kinds.push((await session.prepare()).run.kind);
      }
      expect(kinds).toEqual(expected);
    },
  );

  it('ends every run under budget, whatever it was given', async () => {
    for (const pressure of [1.01, 1.5, 4]) {
      const session = await sessionOf(Math.round(12_500 / pressure), TALK);
      session.append(...read([user('And now?')]).map((message) => ({ ...message, id: 'now' })));
      const { reading, messages } = await session.prepare();
      expect(reading.pressure).toBeLessThanOrEqual(1);
      expect(wordsOf(messages.at(-1))).toBe(wordsOf(user('And now?')));
    }
  });
});

const image = (bytes: number, letter = 'A') => ({
  type: 'image_url',
  image_url: { url: `data:image/png;base64,${letter.repeat(bytes)}` },
});
const picture = (i: number, bytes: number): Chat => ({
  role: 'user',
  content: [{ type: 'text', text: `Picture ${i}.` }, image(bytes, 'ABCDEFGHIJKLMNOP'[i])],
});

/** Ten turns, each with a picture; few tokens. */
const ALBUM = (bytes: number): Chat[] => [
  user('Look at these.'),
  ...Array.from({ length: 10 }, (_, i) => [picture(i, bytes), says(`I see picture ${i}.`)]).flat(),
  user('Which was best?'),
];

describe('N6: tokens, request bytes and image count are one budget', () => {
  it('the fullest of the three is the pressure', async () => {
    const { reading } = await sessionOf(100_000, ALBUM(100_000), {
      limits: { bytes: 2_000_000, images: 40 },
    });
    expect(reading).toMatchObject({ images: 10, byImages: 0.25, binding: 'bytes' });
    expect(reading.byBytes).toBeCloseTo(0.5, 1);
    expect(reading.pressure).toBe(reading.byBytes);
    expect(reading.byTokens).toBeLessThan(0.12);
  });

  it('bytes over their limit are compacted until they hold, however few tokens they are', async () => {
    const session = await sessionOf(100_000, ALBUM(100_000), { limits: { bytes: 500_000 } });
    expect(session.reading.byTokens).toBeLessThan(0.12);
    const { run, messages, reading } = await session.prepare();
    expect(run.kind).toBe('committed');
    expect(Buffer.byteLength(JSON.stringify(messages))).toBeLessThanOrEqual(500_000);
    expect(reading.pressure).toBeLessThanOrEqual(1);
  });

  it('so are images', async () => {
    const session = await sessionOf(100_000, ALBUM(1_000), { limits: { images: 4 } });
    const { run, messages } = await session.prepare();
    expect(run.kind).toBe('committed');
    expect(wordsOf(messages).match(/base64/g)?.length ?? 0).toBeLessThanOrEqual(4);
  });

  it('text counts in bytes too, as it is sent', async () => {
    const chat = [
      user('Read.'),
      ...Array.from({ length: 10 }, (_, i) => [
        callOf([[`r${i}`, 'Read', {}]]),
        resultOf(`r${i}`, prose(10_000, i)),
      ]).flat(),
      says('Read.'),
      user('So?'),
    ];
    const session = await sessionOf(1_000_000, chat, { limits: { bytes: 200_000 } });
    expect(session.reading).toMatchObject({ binding: 'bytes' });
    const { reading } = await session.prepare();
    expect(reading.bytes).toBeLessThanOrEqual(200_000);
  });
});
