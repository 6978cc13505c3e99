import type { EngineEvent, PressureEvent } from '../../src/index.js';
import { startEmulator } from '../emulator/index.js';
import { emulated, pressed } from './summarizer.js';
import { engine, fill, read, sessionOf, system, talk, preparedAt } from './support.js';

const TALK = [system('Be brief.'), ...talk(30, 200)];

describe('S11: the RxJS pressure stream', () => {
  it('emits readings, stages in order, the short-circuit and the end of a run', async () => {
    const session = await sessionOf(20_000, TALK);
    fill(session, 0.93);
    const events: PressureEvent[] = [];
    session.events.subscribe((event) => events.push(event));
    const { run } = await session.prepare();
    expect(events.map((event) => (event.kind === 'firing' ? `firing ${event.stage}` : event.kind))).toEqual([
      'reading',
      'crossed',
      'triggered',
      'firing snip',
      'firing micro',
      'firing collapse',
      'firing auto',
      'short-circuit',
      'completed',
    ]);
    expect(events[0]).toMatchObject({
      reading: { pressure: expect.closeTo(0.93, 2), budget: { tokens: 20_000 } },
    });
    expect(events[1]).toMatchObject({ gate: 'auto', pressure: expect.closeTo(0.93, 2) });
    expect(events[6]).toMatchObject({ outcome: 'applied', edits: 1 });
    expect(events[7]).toMatchObject({ after: 'auto', skipped: ['partial', 'full'] });
    expect(events[8]).toMatchObject({
      recordId: run.record!.id,
      tokensAfter: session.operator.history[0]!.plan.after.tokens,
    });
  });

  it('emits stages before text is requested, and each answer of a model after it', async () => {
    const emulator = await startEmulator();
    const spillway = await engine(8_000, emulated(emulator, { roster: ['snip', 'auto'] }));
    const session = spillway.session({ id: 'mill', model: 'gpt-4o' });
    await session.append(...read([system('Be brief.')]));
    const events: EngineEvent[] = [];
    const when: string[][] = [];
    spillway.events.subscribe((event) => events.push(event));
    emulator.otherwise = () => {
      when.push(events.map(({ kind }) => kind));
      return 'good';
    };
    await pressed(session, 1);
    const before = ['reading', 'crossed', 'triggered', 'firing', 'firing', 'short-circuit'];
    const isStopped = events.some(({ kind }) => kind === 'short-circuit');
    expect(when).toEqual([isStopped ? before : before.slice(0, 5)]);
    expect(events.map(({ kind }) => kind).slice(when[0]!.length)).toEqual([
      'model-call',
      'completed',
      'prepared',
    ]);
    for (const event of events) {
      expect(event).toMatchObject({ sessionId: 'mill', agentPath: 'primary', model: 'gpt-4o' });
      if (event.kind === 'firing') expect(event.durationMs).toBeGreaterThanOrEqual(0);
      if (event.kind === 'model-call') expect(event.call).toMatchObject({ outcome: 'filled', chunk: 1 });
    }
  });

  it('emits `noop` if a run frees nothing, and `failed` if the request cannot fit', async () => {
    const idle = await sessionOf(20_000, TALK);
    fill(idle, 0.81);
    const kinds: string[] = [];
    idle.events.subscribe(({ kind }) => kinds.push(kind));
    await idle.prepare();
    expect(kinds.at(-1)).toBe('noop');

    const full = await sessionOf(1_000, [system('Be brief.')]);
    fill(full, 1.5);
    full.events.subscribe(({ kind }) => kinds.push(kind));
    await expect(full.prepare()).rejects.toMatchObject({ code: 'BUDGET_UNREACHABLE' });
    expect(kinds.at(-1)).toBe('failed');
  });

  it('emits each change to another gate, up or down, and nothing in between', async () => {
    const session = await sessionOf(20_000, TALK);
    const gates: (string | null)[] = [];
    session.events.subscribe((event) => {
      if (event.kind === 'crossed') gates.push(event.gate);
    });
    await session.prepare();
    await preparedAt(session, 0.82);
    await session.prepare();
    expect(gates).toEqual(['snip']);
    await preparedAt(session, 0.99, 901);
    await session.prepare();
    expect(gates).toEqual(['snip', 'full', null]);
  });

  it('does not repeat a run that freed nothing before pressure reaches the last gate', async () => {
    const session = await sessionOf(20_000, TALK);
    const runs = async (): Promise<string> => (await session.prepare()).run.kind;
    fill(session, 0.81);
    expect([await runs(), await runs()]).toEqual(['noop', 'waiting']);
    fill(session, 0.93, 901);
    expect(await runs()).toBe('waiting');
    fill(session, 0.99, 902);
    expect(await runs()).toBe('committed');
  });

  it('continues when a listener unsubscribes, and a subscription starts nothing', async () => {
    const session = await sessionOf(20_000, TALK);
    const kinds: string[] = [];
    const listening = session.events.subscribe(({ kind }) => kinds.push(kind));
    expect(kinds).toEqual([]);
    const leaving = session.events.subscribe(() => leaving.unsubscribe());
    await session.prepare();
    await preparedAt(session, 0.93);
    expect(kinds.filter((kind) => kind === 'reading')).toHaveLength(2);
    listening.unsubscribe();
    const heard = kinds.length;
    await session.prepare();
    expect(kinds).toHaveLength(heard);
  });

  it('runs concurrent requests one after the other, with one compaction', async () => {
    const session = await sessionOf(20_000, TALK);
    const [first, second] = await Promise.all([preparedAt(session, 0.93), session.prepare()]);
    expect([first.run.kind, second.run.kind]).toEqual(['committed', 'below-gate']);
    expect(session.operator.history).toHaveLength(1);
    expect(second.messages).toEqual(first.messages);
  });
});
