import { isCut, levelFor } from '../../../src/text/digest/index.js';
import { textOf } from '../../../src/transcript/index.js';
import { Bench, count } from '../../support/bench.js';
import { planned, supersede } from '../../support/edits.js';
import { splitExchanges } from '../../support/looks.js';
import {
  answer,
  call,
  calls,
  image,
  pinned,
  result,
  says,
  summary,
  system,
  text,
  user,
  words,
  type Draft,
} from '../../support/messages.js';
import { plannedBy, run, type RunSettings } from '../../support/runs.js';

const shownText = (bench: Bench, at: number): string => textOf(bench.projection.view[at]!.message.parts[0]!);

/** A run without stages: only what the pipeline does itself. The bench shows what came of it. */
function fit(bench: Bench, budget: number, policy: RunSettings['policy'] = {}) {
  const outcome = plannedBy(bench, [], { budget, policy });
  bench.projection = outcome.draft;
  expect(outcome.after.pressure).toBeLessThanOrEqual(1);
  expect(splitExchanges(bench.log, bench.projection.view)).toEqual([]);
  return outcome.plan;
}

it.each<[number[], number, number]>([
  [[], 10, Infinity],
  [[5, 5], 10, Infinity],
  [[5, 50], 30, 25],
  [[50, 5, 50], 30, 12],
  [[9, 9, 9], 0, 0],
  [[9, 9], -5, 0],
  [[0, 0], 0, Infinity],
])('the level that columns are cut to %j within %d is %d', (columns, allowance, level) => {
  expect(levelFor(columns, allowance)).toBe(level);
});

describe('fresh results over their share', () => {
  it('16 parallel giants are cut to one size, none is lost', () => {
    const ids = Array.from({ length: 16 }, (_, i) => `c${i}`);
    const bench = Bench.of(
      user('q'),
      calls(...ids.map((id) => call('read', { path: `${id}.ts` }, id))),
      ...ids.map((id) => result(id, `begin ${id} ${words(20_000)} end ${id}`)),
    );
    const plan = fit(bench, 10_000);
    expect(plan.edits).toHaveLength(16);
    expect(plan.after.tokens).toBeGreaterThan(3_500);
    for (const [i, id] of ids.entries()) {
      const shown = shownText(bench, 2 + i);
      expect(isCut(shown)).toBe(true);
      expect(shown.startsWith(`begin ${id} `)).toBe(true);
      expect(shown.endsWith(`end ${id}`)).toBe(true);
      expect(shown).toContain(`m${2 + i}#0`);
      expect(count(shown)).toBeLessThanOrEqual(250);
    }
  });

  it('an unbroken line of 200k characters is cut too', () => {
    const line = Array.from({ length: 50_000 }, (_, i) => `a${i % 10}.-`).join('');
    const bench = Bench.of(user('q'), calls(call('read')), result('c1', line));
    fit(bench, 2_000);
    expect(shownText(bench, 2).length).toBeLessThan(8_000);
    expect(line.startsWith(shownText(bench, 2).slice(0, 50))).toBe(true);
  });

  it('small ones beside a giant stay whole', () => {
    const bench = Bench.of(
      user('q'),
      calls(call('a'), call('b', {}, 'c2')),
      result('c1', words(5_000)),
      result('c2', 'small'),
    );
    fit(bench, 1_000);
    expect(shownText(bench, 3)).toBe('small');
  });

  it('are cut below their share where nothing else is left, and the arguments of their calls', () => {
    const bench = Bench.of(
      user(words(600)),
      calls(call('write', { path: 'a.ts', content: words(900) })),
      result('c1', words(900)),
    );
    const plan = fit(bench, 1_000);
    expect(shownText(bench, 0)).toBe(words(600));
    expect(plan.stages.map(({ stage }) => stage)).toEqual(['fresh', 'fresh']);
    const args = bench.projection.view[1]!.message.parts[0]!;
    expect(JSON.parse(args.type === 'tool-call' ? args.arguments : '')).toMatchObject({ path: 'a.ts' });
  });

  it.each([150, 171, 199])(
    'a call whose arguments are far over a budget of %d is cut with all that it takes beside them',
    (budget) => {
      const write = call('mcp.the.files.of.the.disk.write', { path: 'a.ts', content: words(4_000) });
      fit(Bench.of(user('q'), calls(write), result('c1', 'ok')), budget);
    },
  );

  it('give up their images for a line, and keep their words', () => {
    const bench = Bench.of(
      user('q'),
      calls(call('look'), call('look', {}, 'c2'), call('read', {}, 'c3')),
      result('c1', 'a screenshot', image()),
      result('c2', image(), image()),
      result('c3', words(900), image()),
    );
    fit(bench, 1_000);
    expect(shownText(bench, 2)).toBe('a screenshot\n[1 file left out; m2#0]');
    expect(shownText(bench, 3)).toBe('[2 files left out; m3#0]');
    expect(isCut(shownText(bench, 4))).toBe(true);
  });

  it('name their handle where an image goes and the text alone would just fit', () => {
    const bench = Bench.of(user(words(500)), calls(call('look')), result('c1', words(395), image()));
    fit(bench, 1_000);
    expect(shownText(bench, 2)).toContain('; m2#0');
  });

  it('that came in one message with a user’s words are cut, the words are not', () => {
    const bench = Bench.of(calls(call('a')), user(answer('c1', words(5_000)), text(words(50, 'please'))));
    fit(bench, 1_000);
    expect(bench.projection.view[1]!.message.parts[1]).toEqual(text(words(50, 'please')));
    expect(isCut(shownText(bench, 1))).toBe(true);
  });
});

describe('pins over their share', () => {
  it('are cut visibly, the small ones not', () => {
    const bench = Bench.of(
      system(`be brief ${words(2_000)} always`),
      pinned(says('small')),
      says('x'),
      user('q'),
    );
    const plan = fit(bench, 1_000);
    expect(plan.edits).toMatchObject([{ kind: 'replace', messageId: 'm0', stage: 'pins' }]);
    expect(shownText(bench, 0)).toMatch(/^be brief [^]*; m0#0[^]*always$/);
    expect(shownText(bench, 1)).toBe('small');
    expect(bench.projection.size.tokens).toBeLessThanOrEqual(420);
  });

  it('give up their pictures for a line where bytes are over', () => {
    const bench = Bench.of(pinned(says(text('The plan.'), image(50_000))), says('x'), user('q'));
    const plan = plannedBy(bench, [], { budget: 1_000, bytes: 2_000 });
    expect(plan.after.pressure).toBeLessThanOrEqual(1);
    bench.projection = plan.draft;
    expect(bench.projection.view[0]!.message.parts).toMatchObject([
      { text: 'The plan.' },
      { text: '[1 file left out; m0#1]' },
    ]);
  });

  it('are not cut while they are the question', () => {
    const bench = Bench.of(pinned(user(words(700))), calls(call('a')), result('c1', words(900)));
    fit(bench, 1_000);
    expect(shownText(bench, 0)).toBe(words(700));
    expect(run(bench, [], { budget: 600 }).kind).toBe('unreachable');
  });

  it('are not cut while they are held', () => {
    const bench = Bench.of(system(words(700)), says(words(700)), user('q'));
    bench.holds = [{ from: 0, to: 0 }];
    fit(bench, 1_000);
    expect(bench.ids).toEqual(['m0', 'notice:m1=1..1', 'm2']);
    expect(shownText(bench, 0)).toBe(words(700));
  });
});

describe('the drop floor', () => {
  const step = (n: number, size: number): Draft[] => [
    calls(call('a', {}, `c${n}`)),
    result(`c${n}`, words(size)),
  ];

  it('drops the oldest, down to the target, around pins', () => {
    const bench = Bench.of(
      user('old'),
      ...step(1, 300),
      pinned(user('keep')),
      ...step(2, 300),
      ...step(3, 300),
      ...step(4, 100),
      says('so'),
      user('q'),
    );
    fit(bench, 900);
    expect(bench.ids).toEqual([
      'notice:m0..m2=0..2',
      'm3',
      'notice:m4..m5=4..5',
      'm6',
      'm7',
      'm8',
      'm9',
      'm10',
      'm11',
    ]);
    expect(bench.projection.size.tokens).toBeLessThanOrEqual(0.6 * 900);
  });

  it('leaves a summary where what was said since is enough', () => {
    const bench = Bench.of(says(words(300)), says(words(300)), user('a'), says(words(600)), user('q'));
    bench.force(planned(supersede('m0', 'm1', summary('old', words(200)))));
    fit(bench, 700, { dropsToTarget: true });
    expect(bench.ids[0]).toBe('old=0..1');
    expect(bench.ids.join()).not.toContain('m3,');
  });

  it('is not stopped by what it may not drop: a huge step around the question', () => {
    const bench = Bench.of(
      calls(call('a', { x: words(500) })),
      user('the question'),
      result('c1', words(500)),
      ...Array.from({ length: 8 }, (_, i) => step(i + 2, 100)).flat(),
    );
    bench.append({ id: 'next', role: 'assistant', origin: 'model', parts: [call('b', {}, 'c99')] });
    const { after } = plannedBy(bench, [], { budget: 1_200 });
    expect(after.pressure).toBeLessThanOrEqual(1);
  });

  it('drops together what reaches over each other', () => {
    const late = Bench.of(
      calls(call('a'), call('b', {}, 'c2')),
      user(words(300)),
      result('c1', words(300)),
      pinned(user('keep')),
      result('c2', 'x'),
      says('so'),
      user('q'),
    );
    fit(late, 400);
    // There is room for more than the notice: it says what was said.
    expect(late.ids).toEqual(['summary:m0..m4=0..4', 'm3', 'm5', 'm6']);
  });

  it('leaves alone what is too small to give way to a notice', () => {
    const bench = Bench.of(says('a'), user('held'), says(words(2_000)), user('q'));
    bench.holds = [{ from: 1, to: 1 }];
    fit(bench, 1_000);
    expect(bench.ids).toEqual(['m0', 'm1', 'notice:m2=2..2', 'm3']);
  });

  it('never drops what is fresh, open or asked: then it is the typed error', () => {
    const open = Bench.of(
      user(words(10)),
      calls(call('a'), call('b', { x: words(2_000) }, 'c2')),
      result('c1', 'r'),
    );
    expect(run(open, [], { budget: 1_000 })).toMatchObject({
      kind: 'unreachable',
      error: { code: 'BUDGET_UNREACHABLE' },
    });
  });
});
