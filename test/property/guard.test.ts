import fc from 'fast-check';
import { Bench } from '../support/bench.js';
import { histories } from '../support/histories.js';
import { illegalEdits } from '../support/illegal.js';
import { intent, proposal } from '../support/proposals.js';
import { run, stage } from '../support/runs.js';

const hold = fc.option(
  fc.tuple(fc.nat(20), fc.nat(5)).map(([from, length]) => ({ from, to: from + length })),
);
const intents = fc.array(intent, { maxLength: 8 });

describe('with any history', () => {
  it('every illegal edit is refused, and the same legal edits are accepted as without it', () => {
    const met = new Set<string>();
    fc.assert(
      fc.property(histories(25), hold, intents, intents, fc.nat(), (history, held, earlier, wishes, seed) => {
        const bench = new Bench(history);
        bench.apply(...proposal(bench.view, earlier));
        bench.holds = held ? [held] : [];
        const { view } = bench;
        const legal = bench.judge(proposal(view, wishes, 100)).accepted;
        const illegal = illegalEdits(view, bench.log);
        for (const [why] of illegal) met.add(why);
        expect(bench.judge(illegal.map(([, edit]) => edit)).accepted).toEqual([]);
        const mixed: unknown[] = legal.map(({ stage: _stage, ...edit }) => edit);
        illegal.forEach(([, edit], i) => mixed.splice((seed + i * 7) % (mixed.length + 1), 0, edit));
        expect(bench.judge(mixed).accepted).toEqual(legal);
      }),
      { numRuns: 60 },
    );
    expect([...met].sort()).toEqual(
      [
        'a call for a part',
        'answers',
        'backwards',
        'calls',
        'garbage',
        'growing',
        'held',
        'no JSON',
        'open',
        'part index',
        'pinned',
        'speaks as system',
        'speaks as user',
        'split',
        'taken id',
        'unanswered',
        'unknown id',
        'unseen',
        'unseen not a cut',
      ].sort(),
    );
  });

  it('a run reports the stage that proposes illegal edits', () => {
    fc.assert(
      fc.property(histories(25), (history) => {
        const bench = new Bench(history);
        const bad = stage('bad', 0.1, (view) => ({
          edits: illegalEdits(view, bench.log).map(([, edit]) => edit),
        }));
        const budget = Math.max(1, bench.projection.size.tokens);
        const outcome = run(bench, [bad], {
          budget,
          policy: { shares: { pins: 1, unseen: 1, summary: 1 } },
        });
        if (outcome.kind !== 'noop') throw new Error(`expected a no-op, got ${outcome.kind}`);
        expect(outcome.stages).toMatchObject([{ stage: 'bad', outcome: 'refused', edits: 0 }]);
        expect(outcome.stages[0]!.refused).toBeGreaterThan(0);
        for (const { code } of outcome.stages[0]!.faults) expect(code).toBe('EDIT_ILLEGAL');
      }),
    );
  });
});
