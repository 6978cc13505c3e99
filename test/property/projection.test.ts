import fc from 'fast-check';
import { renderAll, type Log, type Message } from '../../src/transcript/index.js';
import { Bench } from '../support/bench.js';
import { histories } from '../support/histories.js';
import { deepFreeze, frame, look, remeasured, splitExchanges } from '../support/looks.js';
import { intent, proposal, type Intent } from '../support/proposals.js';

/** A live session: so many messages come in, then somebody proposes edits, and so on. */
const rounds = fc.array(fc.record({ come: fc.nat(9), intents: fc.array(intent, { maxLength: 6 }) }), {
  minLength: 1,
  maxLength: 8,
});

/** Plays a history into a bench, judging every proposal at its time. */
function play(
  bench: Bench,
  history: readonly Message[],
  script: readonly { come: number; intents: readonly Intent[] }[],
): void {
  let next = 0;
  let serial = 0;
  for (const { come, intents } of script) {
    bench.append(...history.slice(next, next + come));
    next += come;
    const { accepted } = bench.judge(proposal(bench.view, intents, serial));
    bench.force(...accepted);
    serial += intents.length;
  }
  bench.append(...history.slice(next));
}

describe('a projection kept up to date', () => {
  it('equals the whole log rendered with every edit', () => {
    let edited = 0;
    fc.assert(
      fc.property(histories(), rounds, (history, script) => {
        const bench = new Bench([]);
        play(bench, history, script);
        edited += bench.edits.length;
        expect(look(bench.projection)).toEqual(look(renderAll(bench.log, bench.edits, bench.isPinned)));
        expect(bench.projection).toMatchObject(remeasured(bench.projection.view));
      }),
      { numRuns: 150 },
    );
    // The property says nothing where the generator makes nothing.
    expect(edited).toBeGreaterThan(150);
  });

  it('splits no exchange, and keeps the order of messages and the ids, names and order of parts', () => {
    fc.assert(
      fc.property(histories(), rounds, (history, script) => {
        const bench = new Bench([]);
        play(bench, history, script);
        const { view } = bench.projection;
        expect(splitExchanges(bench.log, view)).toEqual([]);
        for (const { message, source } of view) expect(frame(message)).toEqual(source ? frame(source) : []);
        expect(view.flatMap(({ source }) => source?.seq ?? [])).toEqual(
          view.flatMap(({ source }) => source?.seq ?? []).sort((a, b) => a - b),
        );
        expect(new Set(view.map(({ message }) => message.id)).size).toBe(view.length);
      }),
      { numRuns: 150 },
    );
  });

  it('leaves the log byte for byte, and shows the original where nothing was edited', () => {
    fc.assert(
      fc.property(histories(), rounds, (history, script) => {
        const before = JSON.stringify(history);
        const bench = new Bench([]);
        play(bench, deepFreeze(history), script);
        const { log } = bench;
        const kept = Array.from({ length: log.length }, (_, seq) => {
          const { seq: _seq, size: _size, ...message } = log.at(seq);
          return message;
        });
        expect(JSON.stringify(history)).toBe(before);
        expect(kept).toEqual(history);
        expect(renderAll(log, [], bench.isPinned).view.map(({ message }) => message)).toEqual(
          Array.from({ length: log.length }, (_, seq) => log.at(seq)),
        );
      }),
    );
  });

  it('settles at what it showed: a longer log extends the view and changes nothing before', () => {
    fc.assert(
      fc.property(histories(), histories(8), rounds, (history, more, script) => {
        const bench = new Bench([]);
        play(bench, history, script);
        const shown = [...bench.projection.view];
        bench.projection.settle();
        bench.append(...more.map((message, i) => ({ ...message, id: `later${i}` })));
        expect(bench.projection.view.slice(0, shown.length)).toEqual(shown);
        expect(bench.projection.changedFrom).toBe(shown.length);
      }),
    );
  });
});

it('the cost of an append does not grow with the log: no earlier message is read, none of the view moves', () => {
  const reads = (length: number): number => {
    const bench = new Bench([]);
    const message = (i: number) => ({ id: `x${i}`, role: 'assistant', origin: 'model', parts: [] }) as const;
    for (let i = 0; i < length; i++) bench.append(message(i));
    const { log } = bench;
    let count = 0;
    const watched = new Proxy(log, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === 'function'
          ? (...args: unknown[]) => (count++, Reflect.apply(value, target, args) as unknown)
          : value;
      },
    });
    const projection = renderAll(watched as Log, [], () => false);
    const before = [...projection.view];
    count = 0;
    bench.append(message(length));
    projection.append(log.at(length));
    expect(projection.view.slice(0, -1).every((shown, i) => shown === before[i])).toBe(true);
    return count;
  };
  expect(reads(2_000)).toBe(reads(20));
});
