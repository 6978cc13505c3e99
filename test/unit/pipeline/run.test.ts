import { Bench } from '../../support/bench.js';
import { replace, supersede } from '../../support/edits.js';
import {
  call,
  calls,
  conversation,
  says,
  summary,
  text,
  user,
  words,
  result,
} from '../../support/messages.js';
import { GATES, plannedBy, run, stage } from '../../support/runs.js';

const NAMES = ['snip', 'micro', 'collapse', 'auto', 'partial', 'full'];

/** `turns` plain answers of 100 tokens each, and a question of 10. */
const tall = (turns: number): Bench =>
  Bench.of(...Array.from({ length: turns }, () => says(words(96))), user(words(6)));

/** Stages that each take out the oldest plain answer that is left. */
const oneEach = (log: string[], points = 1) =>
  NAMES.map((name, i) =>
    stage(name, GATES[i]!, (view) => {
      log.push(name);
      const oldest = view.exchanges.filter(({ protection }) => !protection).slice(0, points);
      return { edits: oldest.map(({ fromId, toId }) => supersede(fromId, toId)) };
    }),
  );

describe('a run', () => {
  it.each(['gates', 'target'] as const)(
    'passes all six stages in order on a jump to 0.99, in one plan (%s)',
    (escalation) => {
      const opened: string[] = [];
      const shorter = NAMES.map((name, i) =>
        stage(name, GATES[i]!, () => {
          opened.push(name);
          return { edits: [supersede(`m${i}`, `m${i}`, summary(`s${i}`, words(90)))] };
        }),
      );
      const bench = tall(7);
      expect(run(bench, shorter, { budget: 1_010, policy: { target: 0.71 } }).kind).toBe('noop');
      bench.append(
        ...conversation(...Array.from({ length: 29 }, () => says(words(96)))).map((message, i) => ({
          ...message,
          id: `x${i}`,
        })),
      );
      const { plan, after } = plannedBy(bench, shorter, {
        budget: 3_647,
        policy: { minGain: 0, escalation },
      });
      expect(plan.inputs.pressure).toBeCloseTo(0.99, 3);
      expect(opened).toEqual(NAMES);
      expect(plan.stages.map((one) => `${one.stage} ${one.outcome}`)).toEqual(
        NAMES.map((name) => `${name} applied`),
      );
      expect(plan.edits).toHaveLength(6);
      expect(after.tokens).toBe(3_610 - 36);
    },
  );

  it('opens later stages only at their gates, unless the policy goes on to the target', () => {
    const opened: string[] = [];
    // 1.00, and each stage takes off 0.1: after snip 0.90, after micro 0.80.
    const settings = { budget: 1_010 };
    const { plan } = plannedBy(tall(10), oneEach(opened), settings);
    expect(opened).toEqual(['snip', 'micro']);
    expect(plan.after.tokens).toBe(810);
    opened.length = 0;
    plannedBy(tall(10), oneEach(opened), { ...settings, policy: { escalation: 'target' } });
    expect(opened).toEqual(['snip', 'micro', 'collapse', 'auto', 'partial'].slice(0, opened.length));
    expect(opened.length).toBe(5);
  });

  it('goes on to the target in a forced run, also below every gate', () => {
    const opened: string[] = [];
    const { plan } = plannedBy(tall(5), oneEach(opened), {
      budget: 1_010,
      forced: true,
      policy: { target: 0.2 },
    });
    expect(opened).toEqual(['snip', 'micro', 'collapse', 'auto']);
    expect(plan.after.tokens).toBe(110);
    const still = run(tall(5), oneEach(opened), { budget: 1_010, forced: true, policy: { target: 0.9 } });
    expect(still).toMatchObject({ kind: 'noop', stages: [] });
  });

  it('opens every stage it needs while tool results are over their cap, whatever the pressure', () => {
    const bench = Bench.of(calls(call('a')), result('c1', words(100)), says('so'), user('q'));
    const seen: number[] = [];
    const goals = [
      stage('idle', 0.8, (_view, goal) => (seen.push(goal.reclaim, goal.reclaimResults), { edits: [] })),
      stage('cutter', 0.9, () => ({ edits: [replace('m1', 0, '[stub]')] })),
      stage('never', 0.95, () => expect(true).toBe(false)),
    ];
    const { plan } = plannedBy(bench, goals, { budget: 1_000, caps: { toolResults: 50 } });
    expect(seen).toEqual([0, 50]);
    expect(plan.stages.map(({ outcome }) => outcome)).toEqual(['nothing', 'applied']);
  });

  it('asks for no bytes and no images if they have no limit, also at a target of 0', () => {
    const seen: unknown[] = [];
    const idle = stage('idle', 0.8, (_view, { reclaimBytes, reclaimImages }) => {
      seen.push(reclaimBytes, reclaimImages);
      return { edits: [] };
    });
    run(tall(9), [idle], { budget: 1_000, forced: true, policy: { target: 0 } });
    expect(seen).toEqual([0, 0]);
  });

  it('commits nothing for less than the minimum gain', () => {
    const bench = tall(9);
    const little = stage('little', 0.8, () => ({ edits: [supersede('m0', 'm0', summary('s', words(60)))] }));
    expect(run(bench, [little], { budget: 1_000 })).toMatchObject({
      kind: 'noop',
      reason: expect.stringContaining('3.6 points'),
    });
    expect(run(bench, [little], { budget: 1_000, policy: { minGain: 0.03 } }).kind).toBe('planned');
    // Fitting at all is worth any commit.
    expect(run(bench, [little], { budget: 880 }).kind).toBe('planned');
  });

  it('is a no-op if no stage has an edit', () => {
    const idle = stage('idle', 0.8, () => ({ edits: [] }));
    expect(run(tall(9), [idle], { budget: 1_000 })).toMatchObject({
      kind: 'noop',
      stages: [{ stage: 'idle', outcome: 'nothing' }],
    });
    expect(run(tall(9), [], { budget: 1_000 })).toMatchObject({ kind: 'noop', stages: [] });
  });

  it('gives stages copies of budget and state, and takes copies of edits and state', () => {
    const kept = { n: 1 };
    const text1 = text('in short');
    const edits = [supersede('m0', 'm5', { ...summary('s', ''), parts: [text1] })];
    const greedy = stage('greedy', 0.8, (_view, goal) => {
      (goal.budget as { tokens: number }).tokens = 1e9;
      (goal.state as { n: number }).n = 99;
      return { edits, state: kept };
    });
    const states = new Map([['greedy', { n: 0 }]]);
    const outcome = plannedBy(tall(9), [greedy], { budget: 1_000, states });
    kept.n = 2;
    (text1 as { text: string }).text = words(900);
    expect(outcome.after.budget.tokens).toBe(1_000);
    expect(states.get('greedy')).toEqual({ n: 0 });
    expect(outcome.states.get('greedy')).toEqual({ n: 1 });
    expect(outcome.draft.view[0]!.message.parts).toEqual([text('in short')]);
    expect(outcome.plan.edits[0]).toMatchObject({ replacement: [{ parts: [text('in short')] }] });
  });

  it('counts what an edit saves itself', () => {
    const liar = stage('liar', 0.8, () => ({
      edits: [{ ...supersede('m0', 'm5', summary('s', words(50))), sizes: [], tokens: -9_999 }],
    }));
    const { plan } = plannedBy(tall(9), [liar], { budget: 1_000 });
    expect(plan.before.tokens - plan.after.tokens).toBe(600 - 54);
  });

  it('keeps only what is left of its edits, and says where the first change is', () => {
    const bench = Bench.of(
      user('q'),
      says('a'),
      calls(call('a')),
      result('c1', words(300)),
      says(words(300)),
      user('q'),
    );
    const { plan, draft } = plannedBy(
      bench,
      [
        stage('first', 0.5, () => ({ edits: [replace('m3', 0, words(200))] })),
        stage('second', 0.5, () => ({ edits: [replace('m3', 0, '[stub]'), replace('m4', 0, words(250))] })),
        stage('third', 0.5, () => ({ edits: [supersede('m4', 'm4', summary('s', 'x'))] })),
      ],
      { budget: 600, policy: { target: 0.1, escalation: 'target' } },
    );
    expect(plan.edits.map(({ kind, stage }) => `${kind} ${stage}`)).toEqual([
      'replace second',
      'supersede third',
    ]);
    expect(plan.firstChanged).toBe(3);
    expect(plan.after).toEqual(draft.size);
  });

  it('is a value: the same inputs give the same plan, other inputs another', () => {
    const cut = stage('cut', 0.8, () => ({ edits: [supersede('m0', 'm5')] }));
    const hashOf = (turns: number, clock = 1) =>
      plannedBy(tall(turns), [cut], { budget: 1_000, clock }).plan.hash;
    expect(hashOf(9)).toBe(hashOf(9));
    expect(new Set([hashOf(9), hashOf(8), hashOf(9, 2)]).size).toBe(3);
  });
});
