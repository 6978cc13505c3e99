import { jest } from '@jest/globals';
import { getEventListeners } from 'node:events';
import { openStore, type Message } from '../../../src/index.js';
import { engine, read, says, shownText, system, talk, temporaryFolder, user, writer } from '../support.js';

const settings = { fill: { prepareAt: 0.7 }, roster: ['auto'] };
const START = [system('Be brief.'), user('Build a mill.'), says('Gladly.')];
const more = (turns: number, seed: number): Message[] =>
  read(talk(turns, 110, seed)).map((message, i) => ({ ...message, id: `s${seed}.${i}` }));

/** A session between the prepare threshold and the first gate, whose last request was answered. */
async function between({ summarizer, asked } = writer()) {
  const spillway = await engine(12_000, settings, { summarizer });
  const session = spillway.session();
  await session.append(...read(START), ...more(40, 1_000));
  const { reading, run } = await session.prepare();
  expect(run.kind).toBe('below-gate');
  expect(reading.pressure).toBeGreaterThan(0.7);
  await session.observe({ inputTokens: reading.tokens });
  return { spillway, session, asked };
}

const folder = temporaryFolder();

describe('R6: summaries are prepared between turns', () => {
  it('the compaction that is due later uses the text and asks for no other', async () => {
    const { session, asked } = await between();
    expect(session.operator.history).toEqual([]);
    await session.append(
      ...more(8, 5_000),
      ...read([user('And now?')]).map((one) => ({ ...one, id: 'now' })),
    );
    const { run, view } = await session.prepare();
    expect(run.kind).toBe('committed');
    expect(asked.length).toBe(1);
    expect(view.map(shownText).join()).toContain('Written by the summarizer');
    expect(session.operator.history[0]!.calls).toHaveLength(1);
  });

  it('a signal that outlives a call keeps no listener of a call that waited', async () => {
    let answer = (): void => undefined;
    const isAnswered = new Promise<void>((done) => (answer = done));
    const known = writer();
    const summarize = async () => (await isAnswered, { text: 'They spoke of a mill.', finishReason: 'stop' });
    const { session } = await between({ ...known, summarizer: { ...known.summarizer, summarize } });
    await session.append(...more(8, 5_000));
    const { signal } = new AbortController();
    const waiting = session.prepare({ signal });
    while (getEventListeners(signal, 'abort').length === 0) await new Promise(setImmediate);
    answer();
    await waiting;
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('the cost is stored even if the session is not used again', async () => {
    const { summarizer } = writer();
    const open = async () => {
      const spillway = await engine(12_000, settings, { summarizer, store: `sqlite:${folder.path}/a.db` });
      return { spillway, session: await spillway.open({ id: 'mill' }) };
    };
    const { spillway, session } = await open();
    await session.append(...read(START), ...more(40, 1_000));
    await session.observe({ inputTokens: (await session.prepare()).reading.tokens });
    while (session.operator.costs.compactor.calls === 0) await new Promise(setImmediate);
    const { compactor } = session.operator.costs;
    await spillway.close();
    const again = await open();
    expect(again.session.operator.costs).toMatchObject({ compactor });
    await again.spillway.close();
  });

  it('a compaction that is due commits without its text if preparations are queued past the deadline', async () => {
    let asked = 0;
    const summarize = () => (asked++, new Promise<never>(() => undefined));
    const { summarizer } = writer();
    const fill = { prepareAt: 0.7, concurrency: 1, deadlineMs: 500 };
    const spillway = await engine(
      12_000,
      { ...settings, fill },
      { summarizer: { ...summarizer, summarize } },
    );
    const sessions = Array.from({ length: 12 }, () => spillway.session());
    for (const session of sessions) {
      await session.append(...read(START), ...more(40, 1_000));
      const { reading } = await session.prepare();
      await session.observe({ inputTokens: reading.tokens });
    }
    const last = sessions.at(-1)!;
    await last.append(...more(8, 5_000));
    const { run } = await last.prepare();
    expect(run.kind).toBe('committed');
    expect(asked).toBeLessThan(12); // its own turn had not come
    await spillway.close();
  });

  it('a compaction after an undo is planned on the current ledger', async () => {
    const { session } = await between();
    await session.operator.compact({ target: 0.5 });
    await session.operator.undo();
    await session.operator.release();
    await session.append(...more(8, 5_000));
    const { run } = await session.prepare();
    expect(run.kind).toBe('committed');
    expect(run.record!.plan.base).toBe(session.operator.ledger.records.length > 1 ? 'c1/1' : 'genesis');
  });

  it('a request that is under way when the engine is closed is aborted', async () => {
    const known = writer();
    const aborted = jest.fn();
    let isAsked = false;
    const summarize = (_: unknown, signal: AbortSignal) => {
      isAsked = true;
      return new Promise<never>(() => signal.addEventListener('abort', aborted));
    };
    const { spillway } = await between({ ...known, summarizer: { ...known.summarizer, summarize } });
    while (!isAsked) await new Promise(setImmediate);
    expect(aborted).not.toHaveBeenCalled();
    await spillway.close();
    expect(aborted).toHaveBeenCalled();
  });

  it('another session with the same log on the same store buys no text again', async () => {
    const store = await openStore('memory:');
    const { summarizer, asked } = writer();
    const open = async (id: string) =>
      (await engine(12_000, { roster: ['auto'] }, { summarizer, store })).open({ id });
    const chat = [...read(START), ...more(48, 1_000)];
    const first = await open('a');
    await first.append(...chat);
    await first.prepare();
    expect(asked.length).toBeGreaterThan(0);
    const bought = asked.length;
    // Its compaction state is gone, but the log is not: the same text replaces the same span again.
    const revived = await open('b');
    await revived.append(...chat);
    await revived.prepare();
    expect(asked.length).toBe(bought);
    expect(revived.view.map(shownText)).toEqual(first.view.map(shownText));
  });

  it('under the profile reducer a text is asked for between turns by default', async () => {
    const { summarizer, asked } = writer();
    const session = (await engine(12_000, {}, { summarizer, profile: 'reducer' })).session();
    await session.append(...read(START), ...more(40, 1_000));
    const { reading, run } = await session.prepare();
    expect(run.kind).toBe('below-gate');
    await session.observe({ inputTokens: reading.tokens });
    while (asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
  });
});
