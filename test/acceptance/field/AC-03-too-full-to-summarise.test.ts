import { GOOD, startEmulator } from '../../emulator/index.js';
import { BUDGET, filling, loaded, pressed, summariesOf } from '../summarizer.js';
import { read, shownText, talk, user } from '../support.js';

describe('AC-03: too full to summarise', () => {
  it('sends the source in pieces that fit the window of the summarizer, each with the summary so far', async () => {
    const emulator = await startEmulator();
    const summarizerModel = { model: 'emulated', baseUrl: emulator.url, window: 4_500 };
    const session = await filling(emulator, { summarizerModel });
    const run = await pressed(session, 1);
    const { calls } = run.record!;
    expect(calls!.length).toBeGreaterThan(1);
    expect(calls!.map(({ chunk }) => chunk)).toEqual(calls!.map((_, i) => i + 1));
    for (const { text } of emulator.received) expect(text.length / 4).toBeLessThan(4_500);
    expect(emulator.received.map(({ text }) => text.includes('<summary>'))).toEqual(
      calls!.map((_, i) => i > 0),
    );
    // No message is in two pieces, and none is in no piece.
    const ids = emulator.received.flatMap(({ text }) =>
      [...text.matchAll(/<message id=\\"([^\\]+)/g)].map(([, id]) => id),
    );
    expect(new Set(ids).size).toBe(ids.length);
    expect(summariesOf(session)[0]).toContain(GOOD);
  });

  it('sends the source again in shorter pieces if the summarizer refuses it as too long', async () => {
    const emulator = await startEmulator();
    emulator.script = ['context-length', 'context-length'];
    const session = await filling(emulator);
    const { calls } = await pressed(session, 1);
    expect(calls!.map(({ outcome, attempt }) => [outcome, attempt])).toEqual([
      ['failed', 1],
      ['failed', 2],
      ...calls!.slice(2).map(() => ['filled', 3]),
    ]);
    expect(summariesOf(session)[0]).toContain(GOOD);
    expect(Object.values(session.operator.breakers)).toEqual(['closed']);
  });

  it('compacts with a digest if the summarizer refuses every piece as too long', async () => {
    const emulator = await startEmulator('context-length');
    const session = await filling(emulator);
    loaded(session, 1);
    const { run, reading } = await session.prepare();
    expect(run.calls).toHaveLength(6);
    expect(reading.pressure).toBeLessThan(0.9);
    expect(summariesOf(session)).toEqual([expect.stringMatching(/^\[Digest of earlier messages /)]);
  });

  it('AC-03: a request fits even if the messages that no summary may replace are larger than the budget', async () => {
    const emulator = await startEmulator('context-length');
    const session = await filling(emulator);
    // Auto leaves the newest ten messages alone, and these are more than the complete budget.
    const chat = read([...talk(5, BUDGET / 8), user('And now?')]);
    session.append(...chat.map((message) => ({ ...message, id: `t${message.id}` })));
    expect(session.reading.pressure).toBeGreaterThan(1.2);
    const { reading, view, run } = await session.prepare();
    expect(run.kind).toBe('committed');
    expect(reading.pressure).toBeLessThanOrEqual(1);
    expect(shownText(view.at(-1)!)).toBe('And now?');
    expect(JSON.stringify(view.map(({ message }) => message)).length / 4).toBeLessThan(1.2 * BUDGET);
  });
});
