import { jest } from '@jest/globals';
import { config, filter, map, Observable, Subscription } from 'rxjs';
import { PressureStream, type PressureEvent, type GateInputs } from '../../../src/pressure/index.js';

function heard(stream: PressureStream): PressureEvent[] {
  const events: PressureEvent[] = [];
  stream.events.subscribe((event) => events.push(event));
  return events;
}

/** A promise and the function that settles it. */
function gate(): { opened: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

const GATES = [0.8, 0.9].map((opensAt) => ({ stage: `at ${opensAt}`, opensAt }));

/** A reading at a pressure, after a number of tokens appended in all. */
function gateInputs(pressure: number, appended: number, more: Partial<GateInputs> = {}): GateInputs {
  const reading = { pressure } as GateInputs['reading'];
  return { reading, appended, gates: GATES, freshTokens: 100, isArmed: true, ...more };
}

describe('readings of one agent path', () => {
  const firesAt = (stream: PressureStream, ...inputs: Parameters<typeof gateInputs>): string | undefined =>
    stream.fireIfDue(gateInputs(...inputs), ({ kind, detail }) => `${kind}: ${detail}`);

  it('fire from the first gate on, and below it on request', () => {
    const stream = new PressureStream();
    expect(firesAt(stream, 0.79, 0)).toBeUndefined();
    expect(firesAt(stream, 0.8, 0)).toBe('pressure: pressure 0.800');
    expect(firesAt(stream, 0.9, 0, { isArmed: false })).toBeUndefined();
    const requested = { kind: 'manual', detail: 'asked for' } as const;
    expect(firesAt(stream, 0.1, 0, { isArmed: false, requested })).toBe('manual: asked for');
  });

  it('fire for tool results over their cap, whatever the pressure', () => {
    const stream = new PressureStream();
    const reading = { pressure: 0.1, byToolResults: 1.2 } as GateInputs['reading'];
    expect(firesAt(stream, 0.1, 0, { reading })).toBe('cap: tool results at 1.20 of their cap');
    stream.recordSpent({ gate: -1, appended: 0 });
    expect(firesAt(stream, 0.1, 99, { reading })).toBeUndefined();
    expect(firesAt(stream, 0.1, 100, { reading })).toBeDefined();
  });

  it('fire for tool results again when enough has been appended since the last run', () => {
    const stream = new PressureStream();
    const reading = { pressure: 0.1, byToolResults: 1.2 } as GateInputs['reading'];
    stream.recordSpent({ gate: -1, appended: 500 });
    expect(firesAt(stream, 0.1, 599, { reading })).toBeUndefined();
    expect(firesAt(stream, 0.1, 600, { reading })).toBeDefined();
  });

  it('are disarmed by a run that did not help, until enough is appended or the run is forgotten', () => {
    const stream = new PressureStream();
    stream.recordSpent({ gate: 0, appended: 500 });
    expect(stream.spent).toEqual({ gate: 0, appended: 500 });
    expect(stream.wouldFire(gateInputs(0.85, 599))).toBeUndefined();
    expect(firesAt(stream, 0.85, 599)).toBeUndefined();
    expect(firesAt(stream, 0.85, 600)).toBe('pressure: pressure 0.850');
    stream.recordSpent(undefined);
    expect(stream.wouldFire(gateInputs(0.85, 500))).toBeDefined();
    expect(firesAt(stream, 0.85, 500)).toBe('pressure: pressure 0.850');
  });

  it('are reported as events, as is each gate that they cross', () => {
    const stream = new PressureStream();
    const events = heard(stream);
    for (const pressure of [0.1, 0.85, 0.86, 0.95, 0.2]) firesAt(stream, pressure, 0);
    expect(events.filter(({ kind }) => kind === 'reading')).toHaveLength(5);
    expect(events.filter(({ kind }) => kind === 'crossed')).toEqual([
      { kind: 'crossed', gate: 'at 0.8', pressure: 0.85 },
      { kind: 'crossed', gate: 'at 0.9', pressure: 0.95 },
      { kind: 'crossed', gate: null, pressure: 0.2 },
    ]);
  });

  it('fire nothing if nothing is subscribed to them', () => {
    const nobody = jest.spyOn(Observable.prototype, 'subscribe').mockReturnValue(Subscription.EMPTY);
    const stream = new PressureStream();
    nobody.mockRestore();
    expect(stream.wouldFire(gateInputs(2, 0))).toBeDefined();
    expect(firesAt(stream, 2, 0)).toBeUndefined();
  });

  it('pass on the error that the run throws', () => {
    const stream = new PressureStream();
    const fails = (): never => {
      throw new Error('of the run');
    };
    expect(() => stream.fireIfDue(gateInputs(0.8, 0), fails)).toThrow('of the run');
    expect(firesAt(stream, 0.8, 0)).toBeDefined();
  });
});

describe('runs of one agent path', () => {
  it('happen one after the other, in order, however long each takes', async () => {
    const stream = new PressureStream();
    const log: string[] = [];
    const first = gate();
    const runs = ['a', 'b', 'c'].map((name) =>
      stream.submit(async () => {
        log.push(`${name} begins`);
        if (name === 'a') await first.opened;
        log.push(`${name} ends`);
        return name;
      }),
    );
    await Promise.resolve();
    expect(log).toEqual(['a begins']);
    first.open();
    expect(await Promise.all(runs)).toEqual(['a', 'b', 'c']);
    expect(log).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  });

  it('take their reading when their turn comes', async () => {
    const stream = new PressureStream();
    let pressure = 0;
    const runs = [1, 2, 3].map(() => stream.submit(async () => ++pressure));
    expect(await Promise.all(runs)).toEqual([1, 2, 3]);
  });

  it('fail by throwing or rejecting, and the next goes on', async () => {
    const stream = new PressureStream();
    const events = heard(stream);
    const thrown = stream.submit(() => {
      throw new Error('thrown');
    });
    const rejected = stream.submit(() => Promise.reject(new Error('rejected')));
    const fine = stream.submit(() => 'fine');
    await expect(thrown).rejects.toEqual(new Error('thrown'));
    await expect(rejected).rejects.toEqual(new Error('rejected'));
    expect(await fine).toBe('fine');
    expect(events).toEqual([
      { kind: 'failed', error: new Error('thrown') },
      { kind: 'failed', error: new Error('rejected') },
    ]);
  });

  it('submitted from within a run or by a listener queue up behind it', async () => {
    const stream = new PressureStream();
    const log: string[] = [];
    const inner: Promise<unknown>[] = [];
    stream.events.subscribe(() => inner.push(stream.submit(() => (log.push('by a listener'), 'x'))));
    await stream.submit(async () => {
      stream.emit({ kind: 'queued', auto: true });
      inner.push(stream.submit(() => (log.push('from within'), 'y')));
      await Promise.resolve();
      log.push('the run');
      return 'z';
    });
    await Promise.all(inner);
    expect(log).toEqual(['the run', 'by a listener', 'from within']);
  });
});

function bad(): never {
  throw new Error('a bad listener');
}

describe('an event', () => {
  afterEach(() => {
    config.onUnhandledError = null;
  });

  it('reaches all listeners that have subscribed before it, in order', async () => {
    const stream = new PressureStream();
    const early = heard(stream);
    await stream.submit(() => (stream.emit({ kind: 'queued', auto: true }), 'x'));
    const late = heard(stream);
    await stream.submit(() => {
      stream.emit({ kind: 'queued', auto: false });
      stream.emit({ kind: 'noop', reason: 'nothing' });
      return 'x';
    });
    expect(early.map(({ kind }) => kind)).toEqual(['queued', 'queued', 'noop']);
    expect(late).toEqual(early.slice(1));
  });

  it.each<[string, (stream: PressureStream) => void]>([
    ['throws', ({ events }) => void events.subscribe(bad)],
    ['throws as an observer', ({ events }) => void events.subscribe({ next: bad })],
    ['rejects', ({ events }) => void events.subscribe(() => Promise.reject(new Error('a bad listener')))],
    ['throws at the end of a pipe', ({ events }) => void events.pipe(map(({ kind }) => kind)).subscribe(bad)],
    ['throws in an operator', ({ events }) => void events.pipe(map(bad), filter(Boolean)).subscribe()],
    ['throws at its own error', ({ events }) => void events.pipe(map(bad)).subscribe({ error: bad })],
  ])('does not affect runs, the process or other listeners if a listener %s', async (_, listen) => {
    const unhandled: unknown[] = [];
    // Errors that rxjs would throw on a timer, which ends the process.
    config.onUnhandledError = (error) => unhandled.push(error);
    const stream = new PressureStream();
    listen(stream);
    stream.events.subscribe().unsubscribe();
    const events = heard(stream);
    const run = (auto: boolean) => stream.submit(() => (stream.emit({ kind: 'queued', auto }), 'x'));
    expect(await run(true)).toBe('x');
    expect(await run(false)).toBe('x');
    await new Promise((resolve) => setTimeout(resolve, 1));
    expect(unhandled).toEqual([]);
    expect(events.filter(({ kind }) => kind === 'queued')).toHaveLength(2);
    expect(events.filter(({ kind }) => kind === 'listener-failed')).toEqual([
      { kind: 'listener-failed', error: new Error('a bad listener') },
    ]);
  });

  it('cannot be emitted by a listener', () => {
    const { events } = new PressureStream();
    expect(events).not.toHaveProperty('next');
  });
});
