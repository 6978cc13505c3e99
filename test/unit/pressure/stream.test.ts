import { afterEach, describe, expect, it } from '@jest/globals';
import { config } from 'rxjs';
import { PressureStream, type PressureEvent } from '../../../src/pressure/index.js';

type Event = PressureEvent<number>;

function heard(stream: PressureStream<number, string>): Event[] {
  const events: Event[] = [];
  stream.events.subscribe((event) => events.push(event));
  return events;
}

/** A promise and the function that settles it. */
function gate(): { opened: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

describe('runs of one agent path', () => {
  it('happen one after the other, in order, however long each takes', async () => {
    const stream = new PressureStream<number, string>();
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
    expect(await Promise.all(runs)).toEqual(['a', 'b', 'c'].map((outcome) => ({ ok: true, outcome })));
    expect(log).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  });

  it('take their reading when their turn comes', async () => {
    const stream = new PressureStream<number, number>();
    let pressure = 0;
    const runs = [1, 2, 3].map(() => stream.submit(async () => ++pressure));
    expect(await Promise.all(runs)).toMatchObject([{ outcome: 1 }, { outcome: 2 }, { outcome: 3 }]);
  });

  it('fail as values, by throwing or rejecting, and the next goes on', async () => {
    const stream = new PressureStream<number, string>();
    const events = heard(stream);
    const thrown = stream.submit(() => {
      throw new Error('thrown');
    });
    const rejected = stream.submit(() => Promise.reject(new Error('rejected')));
    const fine = stream.submit(() => 'fine');
    expect(await thrown).toEqual({ ok: false, error: new Error('thrown') });
    expect(await rejected).toEqual({ ok: false, error: new Error('rejected') });
    expect(await fine).toEqual({ ok: true, outcome: 'fine' });
    expect(events).toEqual([
      { kind: 'failed', error: new Error('thrown') },
      { kind: 'failed', error: new Error('rejected') },
    ]);
  });

  it('submitted from within a run or by a listener queue up behind it', async () => {
    const stream = new PressureStream<number, string>();
    const log: string[] = [];
    const inner: Promise<unknown>[] = [];
    stream.readings.subscribe(() => inner.push(stream.submit(() => (log.push('by a listener'), 'x'))));
    await stream.submit(async (emit) => {
      emit({ kind: 'reading', reading: 1 });
      inner.push(stream.submit(() => (log.push('from within'), 'y')));
      await Promise.resolve();
      log.push('the run');
      return 'z';
    });
    await Promise.all(inner);
    expect(log).toEqual(['the run', 'by a listener', 'from within']);
  });
});

describe('what happens', () => {
  afterEach(() => {
    config.onUnhandledError = null;
  });

  it('is heard by all who listen, from then on, in order', async () => {
    const stream = new PressureStream<number, string>();
    const early = heard(stream);
    await stream.submit((emit) => (emit({ kind: 'reading', reading: 0.5 }), 'x'));
    const late = heard(stream);
    const readings: number[] = [];
    stream.readings.subscribe((reading) => readings.push(reading));
    const reasons: string[] = [];
    stream.of('noop').subscribe(({ reason }) => reasons.push(reason));
    await stream.submit((emit) => {
      emit({ kind: 'reading', reading: 0.9 });
      emit({ kind: 'noop', reason: 'nothing' });
      return 'x';
    });
    expect(early.map(({ kind }) => kind)).toEqual(['reading', 'reading', 'noop']);
    expect(late).toEqual(early.slice(1));
    expect([readings, reasons]).toEqual([[0.9], ['nothing']]);
  });

  it('is no harm done by a listener that throws, nor stopped by one that leaves', async () => {
    const reported: unknown[] = [];
    const told = gate();
    config.onUnhandledError = (error) => {
      reported.push(error);
      told.open();
    };
    const stream = new PressureStream<number, string>();
    stream.events.subscribe(() => {
      throw new Error('a bad listener');
    });
    stream.events.subscribe().unsubscribe();
    const events = heard(stream);
    expect(await stream.submit((emit) => (emit({ kind: 'reading', reading: 1 }), 'x'))).toEqual({
      ok: true,
      outcome: 'x',
    });
    expect(await stream.submit(() => 'y')).toEqual({ ok: true, outcome: 'y' });
    expect(events).toEqual([{ kind: 'reading', reading: 1 }]);
    await told.opened;
    expect(reported).toEqual([new Error('a bad listener')]);
  });

  it('cannot be made up by listeners', () => {
    const { events } = new PressureStream<number, string>();
    expect(events).not.toHaveProperty('next');
  });
});

describe('a closed stream', () => {
  it('settles what was queued, lets it be heard, then ends', async () => {
    const stream = new PressureStream<number, string>();
    const log: unknown[] = [];
    stream.events.subscribe({ next: (event) => log.push(event.kind), complete: () => log.push('complete') });
    const first = gate();
    const runs = [
      stream.submit(() => first.opened.then(() => 'a')),
      stream.submit((emit) => (emit({ kind: 'noop', reason: 'x' }), 'b')),
    ];
    stream.close();
    first.open();
    expect(await Promise.all(runs)).toMatchObject([{ outcome: 'a' }, { outcome: 'b' }]);
    await Promise.resolve();
    expect(log).toEqual(['noop', 'complete']);
  });

  it('answers later submissions with an error instead of never', async () => {
    const stream = new PressureStream<number, string>();
    stream.close();
    stream.close();
    expect(await stream.submit(() => 'x')).toMatchObject({ ok: false, error: { code: 'INTERNAL' } });
  });
});
