import { describe, expect, it } from '@jest/globals';
import type { Summarizer, SummaryRequest } from '../../../src/spi/index.js';
import { createRedact } from '../../../src/facts/index.js';
import { Breakers, Filler, parsePrompt } from '../../../src/summarizers/index.js';
import { Log, type Message, type ModelCall, type PlannedEdit } from '../../../src/transcript/index.js';

const count = (text: string): number => Math.ceil(text.length / 4);
const say = (id: string, role: 'user' | 'assistant', text: string): Message => ({
  id,
  role,
  origin: role === 'user' ? 'user' : 'model',
  parts: [{ type: 'text', text }],
});

const log = new Log();
for (let i = 0; i < 8; i++) {
  const message = say(`m${i}`, i % 2 === 0 ? 'user' : 'assistant', `Message ${i}: ${'words '.repeat(100)}`);
  log.append(message, {
    tokens: 150,
    bytes: 600,
    images: 0,
    parts: [{ tokens: 150, bytes: 600, images: 0 }],
  });
}

const edit = (from: number, to: number): PlannedEdit => ({
  kind: 'supersede',
  fromId: `m${from}`,
  toId: `m${to}`,
  replacement: [
    { ...say(`claims:${from}`, 'assistant', 'Claims.'), label: 'claims' },
    { ...say(`summary:${from}`, 'assistant', 'Outline.'), label: 'summary' },
  ],
  sizes: [],
  stage: 'auto',
  reason: 'a test',
  slot: { fromId: `m${from}`, toId: `m${to}`, prompt: 'auto', maxTokens: 100 },
});

function fillerOf(
  summarize: Summarizer['summarize'],
  more: { deadlineMs?: number; window?: number; stopped?: () => string | undefined } = {},
) {
  const { deadlineMs = 1_000, window, stopped = () => undefined } = more;
  const asked: SummaryRequest[] = [];
  const calls: ModelCall[] = [];
  const filler = new Filler({
    summarizer: {
      name: 'tester',
      endpoint: 'here',
      ...(window !== undefined && { window }),
      summarize: (request, signal) => {
        asked.push(request);
        return summarize(request, signal);
      },
    },
    breakers: new Breakers({ failures: 3, cooldownMs: 1_000, scope: 'pipeline' }),
    prompts: { of: (name) => parsePrompt(name, `System ${name}\n---\nDo {{handle}}.`) },
    redact: createRedact(),
    resultChars: 2_000,
    concurrency: 2,
    deadlineMs,
    count,
    timer: () => performance.now(),
    priceOf: () => null,
    stopped,
  });
  const fill = (...edits: PlannedEdit[]) =>
    filler.fill({ edits, log, isPinned: () => false, onCall: (call) => calls.push(call) });
  return { fill, asked, calls };
}

const good = () => Promise.resolve({ text: 'The mill was built.', finishReason: 'stop' });

describe('filling slots', () => {
  it('puts the text where the summary stood; claims beside it stay', async () => {
    const { fill } = fillerOf(good);
    const { texts, fallbacks } = await fill(edit(0, 3));
    expect(fallbacks).toEqual([]);
    const { replacement } = texts.get(0) as PlannedEdit & { kind: 'supersede' };
    expect(replacement[0]).toMatchObject({ label: 'claims', parts: [{ text: 'Claims.' }] });
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

  it('does not call where it may not', async () => {
    const { fill, asked } = fillerOf(good, { stopped: () => 'was not bought: no money' });
    expect((await fill(edit(0, 3))).fallbacks).toEqual(['auto m0..m3: the answer was not bought: no money']);
    expect(asked).toEqual([]);
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
});
