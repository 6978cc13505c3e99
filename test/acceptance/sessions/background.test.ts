import type { Message, SessionStore, Spillway } from '../../../src/index.js';
import { openStore } from '../../../src/index.js';
import { postgresOfFile } from '../../support/postgres.js';
import { engine, read, says, shownText, system, talk, user, writer } from '../support.js';
import { but } from './stores.js';

const server = postgresOfFile();
const engines: Spillway[] = [];
afterEach(async () => {
  for (const one of engines.splice(0)) await one.close();
});

const START = [system('Be brief.'), user('Build a mill.'), says('Gladly.')];
const more = (turns: number, seed: number): Message[] =>
  read(talk(turns, 110, seed)).map((message, i) => ({ ...message, id: `s${seed}.${i}` }));
const now = read([user('And now?')]).map((one) => ({ ...one, id: 'now' }));

interface Process {
  readonly spillway: Spillway;
  readonly asked: readonly unknown[];
}

/** An engine as another process has it: with its own connections and its own summarizer. */
async function processOn(url: string, fill: object, store?: SessionStore): Promise<Process> {
  const { summarizer, asked } = writer();
  const settings = { fill: { prepareAt: 0.7, ...fill }, roster: ['auto'] };
  const spillway = await engine(12_000, settings, { summarizer, store: store ?? (await openStore(url)) });
  engines.push(spillway);
  return { spillway, asked };
}

/** A session between the prepare threshold and the first gate, whose last request was answered. */
async function between({ spillway }: Process, id: string) {
  const session = await spillway.open({ id });
  await session.append(...read(START), ...more(40, 1_000));
  const { reading, run } = await session.prepare();
  expect(run.kind).toBe('below-gate');
  await session.observe({ inputTokens: reading.tokens });
  return session;
}

const jobsOf = async (url: string) => server.run(url, 'select state from spillway_jobs.job').catch(() => []);

/** Waits until the queue holds jobs, all of them in this state. */
async function jobsBecome(url: string, state: string): Promise<void> {
  for (;;) {
    const jobs = await jobsOf(url);
    if (jobs.length > 0 && jobs.every((job) => job.state === state)) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('R6: several processes on one PostgreSQL prepare summaries for each other', () => {
  it('R6: one enqueues a text, another buys it once, and the first uses it', async () => {
    const url = await server.create();
    const asks = await processOn(url, { work: false });
    const works = await processOn(url, {});
    const session = await between(asks, 'a "quoted"\nid\0');
    await session.append(...more(8, 5_000), ...now);
    const { run, view } = await session.prepare();
    expect(run.kind).toBe('committed');
    expect(view.map(shownText).join()).toContain('Written by the summarizer');
    expect([asks.asked.length, works.asked.length]).toEqual([0, 1]);
    // The record says what was paid for it, and the sums hold it once, here and in the process that opens it next.
    expect(session.operator.history[0]!.calls).toHaveLength(1);
    expect(session.operator.costs.compactor.calls).toBe(1);
    const again = await works.spillway.open({ id: 'a "quoted"\nid\0' });
    expect(again.operator.costs.compactor.calls).toBe(1);
  });

  it('R6: a process that is gone leaves its job, and the next one to open the session uses the text', async () => {
    const url = await server.create();
    const first = await processOn(url, { work: false });
    const session = await between(first, 'a');
    await session.append(...more(8, 5_000), ...now);
    // The job is stored by then. Closing comes after it, and does not wait for work that others can do.
    await new Promise((resolve) => setImmediate(resolve));
    await jobsBecome(url, 'created');
    await first.spillway.close();
    expect(await jobsOf(url)).toEqual([{ state: 'created' }]);

    const second = await processOn(url, {});
    const revived = await second.spillway.open({ id: 'a' });
    const { run, view } = await revived.prepare();
    expect(run.kind).toBe('committed');
    expect(run.record!.plan.trigger.detail).toContain('prepared between turns');
    expect(view.map(shownText).join()).toContain('Written by the summarizer');
    expect([first.asked.length, second.asked.length]).toEqual([0, 1]);
    expect(await jobsOf(url)).toEqual([{ state: 'completed' }]);
  });

  it('R6: a text that was bought before a session was opened is counted once in it', async () => {
    const url = await server.create();
    const first = await processOn(url, { work: false });
    await between(first, 'a');
    await jobsBecome(url, 'created');
    await first.spillway.close();
    const works = await processOn(url, {});
    await jobsBecome(url, 'completed');
    const second = await processOn(url, { work: false });
    const revived = await second.spillway.open({ id: 'a' });
    await revived.append(...more(8, 5_000), ...now);
    const { run, view } = await revived.prepare();
    expect(run.kind).toBe('committed');
    expect(view.map(shownText).join()).toContain('Written by the summarizer');
    expect([works.asked.length, second.asked.length]).toEqual([1, 0]);
    expect(revived.operator.costs.compactor.calls).toBe(1);
  });

  it('R6: a job for a ledger that has moved on buys nothing', async () => {
    const url = await server.create();
    const first = await processOn(url, { work: false });
    const session = await between(first, 'a');
    await jobsBecome(url, 'created');
    await session.operator.compact({ target: 0.5 });
    const bought = first.asked.length;
    const works = await processOn(url, {});
    await session.append(...more(8, 5_000));
    await session.prepare();
    await jobsBecome(url, 'completed');
    // Ends the work under way in the process that asked.
    await first.spillway.close();
    // The worker looked at the ledger, and bought nothing.
    expect(works.asked.length).toBe(0);
    expect([bought, first.asked.length]).toEqual([1, 1]);
    const late = await works.spillway.open({ id: 'a' });
    expect(late.view.map(shownText)).toEqual(session.view.map(shownText));
  });

  it('R6: a process that is stopped while it fills a job gives the job back', async () => {
    const url = await server.create();
    const asks = await processOn(url, { work: false });
    let began = (): void => undefined;
    const beginning = new Promise<void>((resolve) => (began = resolve));
    const { summarizer } = writer();
    const hangs = {
      ...summarizer,
      summarize: (_: unknown, signal: AbortSignal) => {
        began();
        return new Promise<never>((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason as Error)),
        );
      },
    };
    const settings = { fill: { prepareAt: 0.7 }, roster: ['auto'] };
    const stuck = await engine(12_000, settings, { summarizer: hangs, store: await openStore(url) });
    const session = await between(asks, 'a');
    await beginning;
    await stuck.close();
    const works = await processOn(url, {});
    await session.append(...more(8, 5_000), ...now);
    const { view } = await session.prepare();
    expect(view.map(shownText).join()).toContain('Written by the summarizer');
    expect([asks.asked.length, works.asked.length]).toEqual([0, 1]);
  });

  it('R6: a job without data fails, and the process goes on', async () => {
    const url = await server.create();
    const works = await processOn(url, {});
    const session = await between(works, 's');
    await jobsBecome(url, 'completed');
    await server.run(
      url,
      "insert into spillway_jobs.job (name, data, retry_limit) values ('summaries', null, 0)",
    );
    while ((await jobsOf(url)).every(({ state }) => state !== 'failed'))
      await new Promise((resolve) => setImmediate(resolve));
    await session.append(...more(8, 5_000), ...now);
    expect((await session.prepare()).run.kind).toBe('committed');
  });

  it('R6: a process without the right to create the queue prepares for itself, and the audit says so', async () => {
    const url = await server.create();
    const store = await openStore(url);
    const openQueue = () => ({
      enqueue: () => Promise.reject(new Error('permission denied for database')),
      work: () => undefined,
      stop: () => Promise.resolve(),
    });
    const alone = await processOn(url, {}, but(store, { openQueue } as Partial<SessionStore>));
    const session = await between(alone, 'a');
    await session.append(...more(8, 5_000), ...now);
    const { view } = await session.prepare();
    expect(view.map(shownText).join()).toContain('Written by the summarizer');
    expect(alone.asked.length).toBe(1);
    expect((await session.operator.audit()).map(({ kind }) => kind)).toContain('compaction.prepared-alone');
  });
});
