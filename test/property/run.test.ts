import fc from 'fast-check';
import type { OpenableStage, RunOutcome } from '../../src/pipeline/index.js';
import { endsOf, renderAll, textOf, type ViewMessage } from '../../src/transcript/index.js';
import { Bench } from '../support/bench.js';
import { histories } from '../support/histories.js';
import { illegalEdits } from '../support/illegal.js';
import { deepFreeze, frame, look, remeasured, splitExchanges } from '../support/looks.js';
import { intent, proposal, type Intent } from '../support/proposals.js';
import { builtIns, GATES, run, stage, type Plan, type RunSettings } from '../support/runs.js';

type Manner =
  'throws' | 'garbage' | 'nothing' | 'random' | 'illegal' | 'lies' | 'mutates' | 'forgets' | 'sound';

const adversary = fc.record({
  manner: fc.constantFrom<Manner>(
    'throws',
    'garbage',
    'nothing',
    'random',
    'illegal',
    'lies',
    'mutates',
    'forgets',
    'sound',
  ),
  intents: fc.array(intent, { maxLength: 8 }),
});

function planOf(manner: Manner, intents: readonly Intent[], bench: Bench, serial: number): Plan {
  return (view, goal) => {
    const edits = proposal(view, intents, serial);
    switch (manner) {
      case 'throws':
        throw edits.length % 2 ? edits : new Error('no');
      case 'garbage':
        return { edits: [undefined, 0, {}, [], { kind: 'supersede' }], state: { n: 1 } };
      case 'nothing':
        return undefined;
      case 'illegal':
        return { edits: illegalEdits(view, bench.log).map(([, edit]) => edit) };
      case 'lies':
        return { edits: edits.map((edit) => ({ ...edit, size: { tokens: -99 }, sizes: [], stage: 'pins' })) };
      case 'mutates':
        Object.assign(view.exchanges.at(-1)!, { protection: undefined, unseen: false });
        return { edits };
      case 'forgets':
        // Everything goes, one by one, whatever it is.
        return {
          edits: view.exchanges.map(({ fromId, toId }) => ({
            ...edits[0],
            kind: 'supersede',
            fromId,
            toId,
            replacement: [],
            reason: 'gone',
          })),
        };
      default:
        return { edits, state: { reclaim: goal.reclaim } };
    }
  };
}

const SHARES = { pins: 0.4, summary: 0.2, unseen: 0.4 };

/** Runs one after the other, with nothing new in between, until one finds nothing. */
const MOST_RUNS = 5;

/** How full the view is: far below every gate, between them, over the budget. */
const fullness = fc.double({ min: 0.3, max: 6, noNaN: true });

function settingsFor(bench: Bench, full: number, more: Partial<RunSettings> = {}): RunSettings {
  return { budget: Math.max(40, Math.ceil(bench.projection.size.tokens / full)), ...more };
}

/** What must hold of any run at all. */
function check(bench: Bench, outcome: RunOutcome, settings: RunSettings): void {
  if (outcome.kind === 'unreachable') {
    expect(outcome.error.code).toBe('BUDGET_UNREACHABLE');
    expect(outcome.error.facts).toMatchObject({ limit: settings.budget, floor: { parts: { tools: 0 } } });
    return;
  }
  if (outcome.kind === 'noop') {
    expect(outcome.reason).not.toBe('');
    return;
  }
  const { plan, draft, after } = outcome;
  expect(after.pressure).toBeLessThanOrEqual(1);
  expect(plan.after.tokens).toBeLessThanOrEqual(plan.before.tokens);
  expect(plan.edits.length).toBeGreaterThan(0);
  expect(draft).toMatchObject(remeasured(draft.view));
  expect(look(draft)).toEqual(look(renderAll(bench.log, [...bench.edits, ...plan.edits], bench.isPinned)));
  expect(splitExchanges(bench.log, draft.view)).toEqual([]);
  for (const { message, source } of draft.view) expect(frame(message)).toEqual(source ? frame(source) : []);
  checkProtected(bench, outcome);
}

function checkProtected(bench: Bench, { draft, plan }: Extract<RunOutcome, { kind: 'planned' }>): void {
  const own = plan.edits.filter((edit) => edit.kind === 'supersede' && edit.stage === 'pins');
  const released = new Set(own.map((edit) => endsOf(edit)[0]));
  const newest = draft.view.findLast(({ source }) => source?.role === 'system')?.from ?? -1;
  for (const { protection, messages, unseen } of bench.view.exchanges) {
    for (const before of messages) {
      const seq = before.from;
      const at = before.source
        ? draft.indexOf(seq)
        : draft.view.findIndex(({ message }) => message === before.message);
      if (!protection && !unseen) continue;
      if (at === undefined && released.has(before.message.id)) {
        expect([before.message.role, protection, unseen, seq < newest]).toEqual([
          'system',
          'pinned',
          false,
          true,
        ]);
        continue;
      }
      expect(at).toBeGreaterThanOrEqual(0);
      const after = draft.view[at!]!;
      if (after.message === before.message) continue;
      // Touched, though protected or fresh: only the pipeline itself may, visibly, and never words of the user's question.
      expect(protection === 'pinned' || protection === 'unanswered' || protection === undefined).toBe(true);
      before.source!.parts.forEach((part, index) => {
        const mark = after.replaced?.get(index);
        if (!mark || mark === before.replaced?.get(index)) return;
        if (protection === 'pinned') expect(mark.stage).toBe('pins');
        if (protection === 'unanswered') expect(part.type).toBe('tool-result');
      });
    }
  }
  expect(plan.firstChanged).toBeGreaterThanOrEqual(0);
  for (const shown of draft.view) checkWords(shown);
}

/** The words of users and operators stand as they were, or cut visibly. */
function checkWords({ message, source, replaced }: ViewMessage): void {
  if (!replaced || (source?.role !== 'user' && source?.role !== 'system')) return;
  let at = 0;
  source.parts.forEach((part, index) => {
    const length = replaced.get(index)?.length ?? 1;
    const left = message.parts
      .slice(at, at + length)
      .map(textOf)
      .join('');
    at += length;
    if (part.type !== 'text' || !replaced.has(index)) return;
    expect(left.length).toBeLessThan(part.text.length);
    expect(left[0] === part.text[0] || left.at(-1) === part.text.at(-1)).toBe(true);
  });
}

it('whatever the stages do, a run ends, with a plan within the budget, a no-op, or the typed error', () => {
  const kinds = new Set<string>();
  fc.assert(
    fc.property(
      histories(),
      fc.array(adversary, { maxLength: 6 }),
      fullness,
      fc.boolean(),
      (history, adversaries, full, forced) => {
        const bench = new Bench(deepFreeze(history));
        const stages = adversaries.map(({ manner, intents }, i): OpenableStage =>
          stage(`${manner}${i}`, GATES[i]!, planOf(manner, intents, bench, i * 100)),
        );
        const settings = settingsFor(bench, full, { forced });
        const before = JSON.stringify([history, look(bench.projection)]);
        const outcome = run(bench, stages, settings);
        kinds.add(outcome.kind);
        check(bench, outcome, settings);
        // The same again, for nothing of the first try may have stayed behind.
        const again = run(bench, stages, settings);
        expect(again.kind).toBe(outcome.kind);
        if (outcome.kind === 'planned') expect(again).toMatchObject({ plan: { hash: outcome.plan.hash } });
        expect(JSON.stringify([history, look(bench.projection)])).toBe(before);
      },
    ),
    { numRuns: 60 },
  );
  expect([...kinds].sort()).toEqual(['noop', 'planned', 'unreachable']);
});

describe('with the stages that come with it', () => {
  it('a run does the same, and runs right after it soon find nothing', () => {
    const kinds = new Set<string>();
    fc.assert(
      fc.property(
        histories(60),
        fullness,
        fc.boolean(),
        fc.constantFrom('gates', 'target'),
        (history, full, forced, escalation) => {
          const bench = new Bench(history);
          let settings = settingsFor(bench, full, { forced, policy: { escalation, minGain: 0 } });
          const outcome = run(bench, builtIns(), settings);
          kinds.add(outcome.kind);
          check(bench, outcome, settings);
          if (outcome.kind !== 'planned') return;
          for (const { faults } of outcome.plan.stages) expect(faults).toEqual([]);
          expect(run(bench, builtIns(), settings)).toMatchObject({ plan: { hash: outcome.plan.hash } });
          // What a stage reckons to save may be more than it does, so that it stops short: the next run goes on there.
          let next: RunOutcome = outcome;
          for (let i = 0; next.kind === 'planned' && i < MOST_RUNS; i++) {
            bench.projection = next.draft;
            bench.edits.push(...next.plan.edits);
            settings = { ...settings, states: next.states };
            next = run(bench, builtIns(), settings);
            check(bench, next, settings);
          }
          expect(next.kind).toBe('noop');
        },
      ),
      { numRuns: 40 },
    );
    expect(kinds).toContain('planned');
  });

  it('a session that goes on is compacted again and again, and never shows half an exchange', () => {
    fc.assert(
      fc.property(histories(80), fc.integer({ min: 200, max: 2_000 }), (history, budget) => {
        const bench = new Bench([]);
        for (let i = 0; i < history.length; i += 4) {
          bench.append(...history.slice(i, i + 4));
          const settings: RunSettings = { budget, policy: { minGain: 0, shares: SHARES } };
          const outcome = run(bench, builtIns(), settings);
          check(bench, outcome, settings);
          if (outcome.kind !== 'planned') continue;
          bench.projection = outcome.draft;
          bench.edits.push(...outcome.plan.edits);
        }
      }),
      { numRuns: 20 },
    );
  });
});
