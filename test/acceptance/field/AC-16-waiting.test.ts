import { arrived, startEmulator } from '../../emulator/index.js';
import { fill, read, talk, preparedAt } from '../support.js';
import { filling, loaded, pressed, summariesOf } from '../summarizer.js';

const digest = [expect.stringMatching(/^\[Digest of earlier messages /)];

describe('AC-16: compaction never waits for ever', () => {
  it('has a deadline, and aborts the request to the summarizer after it', async () => {
    const emulator = await startEmulator('never');
    const session = await filling(emulator, { fill: { deadlineMs: 1_500 } });
    const started = performance.now();
    const run = await pressed(session, 1);
    expect(performance.now() - started).toBeLessThan(5_000);
    expect(run.calls).toEqual([expect.objectContaining({ outcome: 'late', reason: 'the deadline passed' })]);
    expect(summariesOf(session)).toEqual(digest);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(emulator.received.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it('can be cancelled by the caller, and this does not open the breaker', async () => {
    const emulator = await startEmulator();
    const cancel = new AbortController();
    emulator.otherwise = () => {
      cancel.abort();
      return 'never';
    };
    const session = await filling(emulator, { thresholds: { circuitBreakerFailures: 1 } });
    loaded(session, 1);
    const { run } = await session.prepare({ signal: cancel.signal });
    expect(run.calls).toEqual([expect.objectContaining({ outcome: 'cancelled' })]);
    expect(summariesOf(session)).toEqual(digest);
    expect(Object.values(session.operator.breakers)).toEqual(['closed']);
  });

  it('plans again if an undo overtook the plan, and pays for its text only once', async () => {
    const emulator = await startEmulator();
    const session = await filling(emulator);
    await pressed(session, 1);
    emulator.otherwise = 'slow';
    emulator.slowMs = 200;
    loaded(session, 2);
    const preparing = session.prepare();
    await arrived(emulator, 2);
    session.operator.undo();
    const { run, reading } = await preparing;
    // The first plan was made for a view that no longer exists: the request comes from a plan made after the undo.
    expect(run).toMatchObject({ kind: 'committed', record: { status: 'committed' } });
    expect(reading.pressure).toBeLessThan(1);
    expect(session.operator.ledger.records.map(({ status }) => status)).toEqual(['undone', 'committed']);
    expect(session.operator.costs.compactor.calls).toBe(2);
  });

  it.each([
    ['where it is asked for, before it is due, and no call waits', { prepareAt: 0.5 }, [1, 1]],
    ['by default only when it is due', {}, [0, 1]],
  ])('AC-16: text is bought %s', async (_, how, asked) => {
    const emulator = await startEmulator();
    const session = await filling(emulator, { fill: how });
    await session.append(...read(talk(13, 200)).map((one, i) => ({ ...one, id: `t${i}` })));
    const { run: first, reading } = await session.prepare();
    expect(first.kind).toBe('below-gate');
    await session.observe({ inputTokens: reading.tokens });
    if (asked[0] === 1) await arrived(emulator, 1);
    await new Promise((resolve) => setImmediate(resolve));
    const before = emulator.received.length;
    const { run } = await preparedAt(session, 0.94);
    expect([run.kind, before, emulator.received.length]).toEqual(['committed', ...asked]);
    expect(summariesOf(session)[0]).toMatch(/^\[Summary of /);
  });

  it('AC-16: a cancelled call stops waiting for text that is prepared in the background', async () => {
    const emulator = await startEmulator('never');
    const session = await filling(emulator, { fill: { prepareAt: 0.5 } });
    await session.append(...read(talk(13, 200)).map((one, i) => ({ ...one, id: `t${i}` })));
    const { run: first, reading } = await session.prepare();
    expect(first.kind).toBe('below-gate');
    await session.observe({ inputTokens: reading.tokens });
    await arrived(emulator, 1);
    const cancel = new AbortController();
    fill(session, 0.94);
    const preparing = session.prepare({ signal: cancel.signal });
    let isDone = false;
    void preparing.then(() => (isDone = true));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(isDone).toBe(false);
    cancel.abort();
    const { run } = await preparing;
    expect(run.kind).toBe('committed');
    expect(summariesOf(session)).toEqual(digest);
  });

  it('AC-16: a call that is cancelled after a refusal for length stops waiting for text', async () => {
    const emulator = await startEmulator('never');
    const session = await filling(emulator, { thresholds: { autoThreshold: 0.99 } });
    loaded(session, 1);
    const cancel = new AbortController();
    let sent = 0;
    const refused = Object.assign(
      new Error('context_length_exceeded: the maximum context length is 6000 tokens'),
      { status: 400, code: 'context_length_exceeded' },
    );
    const call = session.call(
      () => {
        if (++sent > 1) return 'Built.';
        setTimeout(() => cancel.abort(), 50);
        throw refused;
      },
      { signal: cancel.signal },
    );
    expect(await call).toBe('Built.');
    expect(summariesOf(session)).toEqual(digest);
  });
});
