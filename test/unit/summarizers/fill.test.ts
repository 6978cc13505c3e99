import { SummarizerError, type Summarizer } from '../../../src/spi/index.js';
import type { PlannedEdit } from '../../../src/transcript/index.js';
import { edit, fillerOf, good } from './support.js';

describe('filling slots', () => {
  it('puts the text where the summary stood; what is carried beside it stays', async () => {
    const { fill } = fillerOf(good);
    const { texts, fallbacks } = await fill(edit(0, 3));
    expect(fallbacks).toEqual([]);
    const { replacement } = texts.get(0) as PlannedEdit & { kind: 'supersede' };
    expect(replacement[0]).toMatchObject({ label: 'injected', parts: [{ text: 'Notes.' }] });
    expect(replacement[1]).toMatchObject({
      parts: [{ text: expect.stringContaining('The mill was built.') }],
    });
  });

  it('buys the same text once', async () => {
    const { fill, asked } = fillerOf(good);
    await fill(edit(0, 3));
    const again = await fill(edit(0, 3), edit(4, 7));
    expect(again.texts.size).toBe(2);
    expect(asked).toHaveLength(2);
  });

  it('is not stalled by one that never settles and does not listen', async () => {
    const { fill, calls } = fillerOf(() => new Promise(() => {}), { deadlineMs: 30 });
    const { texts, fallbacks } = await fill(edit(0, 3), edit(4, 7));
    expect(texts.size).toBe(0);
    expect(fallbacks).toEqual(['auto m0..m3: the deadline passed', 'auto m4..m7: the deadline passed']);
    expect(calls.map(({ outcome }) => outcome)).toEqual(['late', 'late']);
  });

  it.each<[string, Summarizer['summarize']]>([
    [
      'throws at once',
      () => {
        throw new Error('no');
      },
    ],
    ['rejects with nothing', () => Promise.reject()],
    ['answers with nothing', () => Promise.resolve(undefined as never)],
    ['answers with a number', () => Promise.resolve({ text: 7 as never, finishReason: 'stop' })],
    [
      'reports absurd usage',
      () => Promise.resolve({ text: '', finishReason: 'stop', usage: { inputTokens: NaN } }),
    ],
  ])('is not harmed by one that %s', async (_, summarize) => {
    const { fill, calls } = fillerOf(summarize);
    const { texts, fallbacks } = await fill(edit(0, 3));
    expect([texts.size, fallbacks.length, calls.length]).toEqual([0, 1, 1]);
  });

  it.each([NaN, -1, 1e308, '7' as never])('takes %p for no count of tokens', async (inputTokens) => {
    const usage = { inputTokens, outputTokens: 5 };
    const { fill, calls } = fillerOf(async () => ({ ...(await good()), usage }));
    await fill(edit(0, 3));
    expect(calls[0]!.usage).toMatchObject({ inputTokens: 0, outputTokens: 5 });
  });

  it("takes a line of what a summarizer's author says of a fault, and no page", async () => {
    const page = `HTTP 502\n${'<p>Bad gateway</p> '.repeat(10_000)}`;
    const { fill, calls } = fillerOf(() => Promise.reject(new SummarizerError('endpoint', page)));
    const { fallbacks } = await fill(edit(0, 3));
    for (const said of [fallbacks[0]!, calls[0]!.reason!]) {
      expect(said).toContain('HTTP 502 <p>Bad');
      expect(said.length).toBeLessThan(250);
    }
  });

  it('does not call where it may not', async () => {
    const { fill, asked } = fillerOf(good, { stopReason: () => 'was not bought: no money' });
    expect((await fill(edit(0, 3))).fallbacks).toEqual(['auto m0..m3: the answer was not bought: no money']);
    expect(asked).toEqual([]);
  });

  it('asks no more behind a wrong key, and says why', async () => {
    const refuse = () => Promise.reject(new SummarizerError('caller', 'HTTP 401'));
    const { fill, asked } = fillerOf(refuse, { concurrency: 1 });
    const { fallbacks } = await fill(edit(0, 3), edit(4, 7));
    expect(fallbacks).toEqual([
      'auto m0..m3: HTTP 401',
      'auto m4..m7: the answer was not asked for: HTTP 401',
    ]);
    expect(asked).toHaveLength(1);
  });

  it('hands the record so far on from piece to piece', async () => {
    const { fill, asked } = fillerOf(good, { window: 1_800 });
    await fill(edit(0, 7));
    expect(asked.length).toBeGreaterThan(1);
    expect(asked.map(({ previous }) => previous)).toEqual(
      asked.map((_, i) => (i > 0 ? 'The mill was built.' : undefined)),
    );
    expect(asked.map(({ prompt }) => prompt)).toEqual(
      asked.map((_, i) => (i > 0 ? 'System merge' : 'System auto')),
    );
  });

  it.each([
    ['a model of a large window', { window: 1_000_000 }, 8_000],
    ['one that writes short answers', { window: 1_000_000, outputLimit: 2_000 }, 1_800],
    ['one of a small window', { window: 10_000 }, 1_500],
  ])('a slot of any size asks for no longer an answer than is written: %s', async (_, limits, most) => {
    const { fill, asked } = fillerOf(good, limits);
    const wide = edit(0, 7);
    await fill({ ...wide, slot: { ...wide.slot!, maxTokens: 100_000 } });
    expect(asked[0]!.maxTokens).toBe(most);
  });

  it('asks for no text that no sentence fits in', async () => {
    const { fill, asked } = fillerOf(good);
    const asks = async (maxTokens: number): Promise<number> => {
      await fill({ ...edit(0, 7), slot: { ...edit(0, 7).slot!, maxTokens } });
      return asked.length;
    };
    let least = 0;
    while ((await asks(++least)) === 0);
    expect(asked[0]!.maxTokens).toBe(12);
  });
});

describe('a text for a plugin', () => {
  const aloud = { signal: new AbortController().signal, redact: (text: string) => text, onCall: () => {} };

  it.each([
    { instruction: undefined, source: ['a'], maxTokens: 50 },
    { instruction: 'Say it.', source: 'a', maxTokens: 50 },
    { instruction: 'Say it.', source: ['a'], maxTokens: NaN },
    undefined,
  ])('is not asked for by %j, which counts against no endpoint', async (request) => {
    const { filler, asked } = fillerOf(good);
    for (let i = 0; i < 3; i++)
      await expect(filler.write('notes', request as never, aloud)).rejects.toMatchObject({
        code: 'ARGUMENT_INVALID',
        message: expect.stringContaining('notes'),
      });
    expect(asked).toEqual([]);
    const right = { instruction: 'Say it.', source: ['a'], maxTokens: 50 };
    await expect(filler.write('notes', right, aloud)).resolves.toBe('The mill was built.');
  });
});
