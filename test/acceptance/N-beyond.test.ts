import { SpillwayError, type PressureEvent } from '../../src/index.js';
import { prose, resultOf, callOf, says, step, system, user, times, type Chat } from '../support/chats.js';
import { answered, engine, fill, preparedAt, read, said, sessionOf, talk, wordsOf } from './support.js';

const TALK = [system('Be brief.'), user('Build a mill.'), says('Gladly.'), ...talk(20, 300)];

describe('N4: the convergence contract', () => {
  it('refuses a request that can never fit before any plan, and lists what its floor consists of', async () => {
    const spillway = await engine(2_000, { pins: { share: 0.2 } });
    const tools = [{ type: 'function', function: { name: 'search', description: prose(600) } }];
    const session = spillway.session({ tools });
    session.append(...read([system(prose(300, 1)), ...talk(3, 300), user(prose(1_500, 2))]));
    const events: PressureEvent[] = [];
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
    expect(error!.message).toMatch(
      /The content that may never be removed takes [\d,]+ tokens \(tools [\d,]+, pins \d+, unanswered user message [\d,]+\); the budget is 2,000 tokens\. Use/,
    );
    // No stage ran, nothing was committed, and the log is complete.
    expect(events.map(({ kind }) => kind)).toEqual(['reading', 'crossed', 'triggered', 'warning', 'failed']);
    expect(session.operator.ledger.records).toEqual([]);
    expect(session.log.length).toBe(8);
  });

  it.each(['always', 'compaction'] as const)(
    'N4: commits no prune of a request that can never fit (prune: %s)',
    async (prune) => {
      const results = Array.from({ length: 8 }, (_, i) => step('read', { path: `${i}.ts` }, prose(400, i)));
      const chat = [user('Look.'), ...results.flat(), says('Seen.'), user('And now?'), says('Done.')];
      const settings = { prune, stages: { snip: { protectTokens: 0, protectTurns: 0 } } };
      const passes = await sessionOf(4_000, chat, settings);
      await preparedAt(passes, 0.9);
      expect(passes.operator.ledger.records[0]).toMatchObject({ kind: 'prune' });
      const session = await sessionOf(4_000, chat, settings);
      session.append(...read([user(prose(4_500, 77))]).map((message) => ({ ...message, id: 'long' })));
      const before = session.reading.tokens;
      await expect(session.prepare()).rejects.toMatchObject({ code: 'BUDGET_UNREACHABLE' });
      expect(session.operator.ledger.records).toEqual([]);
      expect(session.reading.tokens).toBe(before);
    },
  );

  it('compacts again as soon as the message that was too large has an answer', async () => {
    const session = await sessionOf(2_000, [system('Be brief.'), user('Build a mill.'), says('Gladly.')]);
    await expect(preparedAt(session, 1.2)).rejects.toMatchObject({ code: 'BUDGET_UNREACHABLE' });
    session.append(answered('answer', 'So be it.'));
    const { reading, run } = await session.prepare();
    expect(run.kind).toBe('committed');
    expect(reading.pressure).toBeLessThanOrEqual(1);
  });

  it.each([
    // After 2,000 new tokens, a tenth of the budget; passing the gate at 0.84 opens nothing.
    [0.805, 500, ['noop', 'waiting', 'waiting', 'waiting', 'noop', 'waiting']],
    // From 0.95 on a quarter of that is enough.
    [0.955, 200, ['noop', 'waiting', 'waiting', 'noop', 'waiting']],
  ])(
    'N4: after a run at %d that frees too little, waits for enough new tokens, added %d at a time',
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
        if (i > 0) session.append(said(`u${i}`, prose(tokens - 4, i)));
        kinds.push((await session.prepare()).run.kind);
      }
      expect(kinds).toEqual(expected);
    },
  );

  it('ends every run under budget, from slightly over the budget to four times the budget', async () => {
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
  ...times(10, (i) => [picture(i, bytes), says(`I see picture ${i}.`)]),
  user('Which was best?'),
];

describe('N6: tokens, request bytes and image count are one budget', () => {
  it('the pressure is the highest of the three', async () => {
    const { reading } = await sessionOf(100_000, ALBUM(100_000), {
      limits: { bytes: 2_000_000, images: 40 },
    });
    expect(reading).toMatchObject({ images: 10, byImages: 0.25, binding: 'bytes' });
    expect(reading.byBytes).toBeCloseTo(0.5, 1);
    expect(reading.pressure).toBe(reading.byBytes);
    expect(reading.byTokens).toBeLessThan(0.12);
  });

  it('bytes over their limit are compacted, however few tokens they are', async () => {
    const session = await sessionOf(100_000, ALBUM(100_000), { limits: { bytes: 500_000 } });
    expect(session.reading.byTokens).toBeLessThan(0.12);
    const { run, messages, reading } = await session.prepare();
    expect(run.kind).toBe('committed');
    expect(Buffer.byteLength(JSON.stringify(messages))).toBeLessThanOrEqual(500_000);
    expect(reading.pressure).toBeLessThanOrEqual(1);
  });

  it('images over their limit are compacted', async () => {
    const session = await sessionOf(100_000, ALBUM(1_000), { limits: { images: 4 } });
    const { run, messages } = await session.prepare();
    expect(run.kind).toBe('committed');
    expect(wordsOf(messages).match(/base64/g)?.length ?? 0).toBeLessThanOrEqual(4);
  });

  it('the bytes of text count too, and are compacted to the limit', async () => {
    const chat = [
      user('Read.'),
      ...times(10, (i) => [callOf([[`r${i}`, 'Read', {}]]), resultOf(`r${i}`, prose(10_000, i))]),
      says('Read.'),
      user('So?'),
    ];
    const session = await sessionOf(1_000_000, chat, { limits: { bytes: 200_000 } });
    expect(session.reading).toMatchObject({ binding: 'bytes' });
    const { reading } = await session.prepare();
    expect(reading.bytes).toBeLessThanOrEqual(200_000);
  });

  it('N6: the bytes of tool definitions count too', async () => {
    const tools = times(40, (i) => ({
      type: 'function',
      function: { name: `tool${i}`, description: prose(2_500, i) },
    }));
    const spillway = await engine(1_000_000, { limits: { bytes: 700_000 } });
    const session = spillway.session({ tools });
    await session.append(...read(TALK));
    await session.append(...read(talk(45, 1_100)).map((message, i) => ({ ...message, id: `more${i}` })));
    const { run, messages } = await session.prepare();
    expect(run.kind).toBe('committed');
    expect(Buffer.byteLength(JSON.stringify({ tools, messages }))).toBeLessThanOrEqual(700_000);
  });

  it('N6: the request as it is sent is below its limit in bytes, or the error gives bytes', async () => {
    const quotes = JSON.stringify(times<object>(60, (i) => ({ [`key${i}`]: prose(10, i) })));
    const chat = [
      user('Read.'),
      ...times(30, (i) => [
        callOf([[`r${i}`, 'Read', { path: `part${i}` }]]),
        resultOf(`r${i}`, `finding_${i} ${quotes}`),
        says(`finding_${i} it is. ${prose(60, i)}`),
      ]),
      user('So?'),
    ];
    for (const bytes of [8_000, 20_000, 60_000]) {
      const session = await sessionOf(950_000, chat, { limits: { bytes } });
      const { messages, reading } = await session.prepare();
      expect(Buffer.byteLength(JSON.stringify(messages))).toBeLessThanOrEqual(bytes);
      expect(reading.pressure).toBeLessThanOrEqual(1);
    }
    const session = await sessionOf(950_000, [...chat, user(prose(1_000))], { limits: { bytes: 3_000 } });
    await expect(session.prepare()).rejects.toMatchObject({
      code: 'BUDGET_UNREACHABLE',
      message: expect.stringMatching(/ takes \d,\d{3} bytes; the budget is 3,000 bytes/),
    });
  });

  it('N6: pinned images become notes; images of the unanswered message remain, or the request is refused', async () => {
    const many = (from: number, count: number, text: string): Chat => ({
      role: 'user',
      content: [{ type: 'text', text }, ...times(count, (i) => image(1_000, 'ABCDEFGHIJKLMNOP'[from + i]))],
    });
    const chat = [many(0, 3, 'Build it like these.'), says('Gladly.'), many(3, 3, 'And now like these.')];
    const session = await sessionOf(100_000, chat, { limits: { images: 4 } });
    const { run, messages } = await session.prepare();
    expect(run.kind).toBe('committed');
    const words = wordsOf(messages);
    expect(words.match(/base64/g)).toHaveLength(4);
    // The newest message has no answer and keeps all its images; two pinned images became notes.
    for (const letter of 'DEF') expect(words).toContain(letter.repeat(1_000));
    expect(words.match(/\[1 file left out; m0#\d\]/g)).toHaveLength(2);
    expect(words).toContain('Build it like these.');
    const tooMany = await sessionOf(100_000, [many(0, 5, 'Look.')], {
      limits: { images: 4 },
      pins: { firstUser: false },
    });
    await expect(tooMany.prepare()).rejects.toMatchObject({
      message: expect.stringMatching(/ takes 5 images; the budget is 4 images/),
    });
  });

  it('N6: images that a tool has just returned become a note, and the text of the result remains', async () => {
    const shots = times(6, (i) => image(20_000, 'ABCDEF'[i]));
    const chat = [
      user('Look.'),
      callOf([['s', 'screenshot', {}]]),
      resultOf('s', [{ type: 'text', text: 'six screens' }, ...shots]),
    ];
    const session = await sessionOf(100_000, chat, { limits: { bytes: 100_000 } });
    const { messages } = await session.prepare();
    expect(wordsOf(messages)).toContain('six screens');
    expect(wordsOf(messages)).toContain('6 files left out; m2#0');
  });
});
