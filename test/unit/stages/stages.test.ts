import { BUILT_IN_STAGES, snip } from '../../../src/stages/index.js';
import type { Message, Supersede } from '../../../src/transcript/index.js';
import { fixturesOf } from './fixtures.js';
import { Bench } from './support.js';

describe('built-in stages', () => {
  it('stand in the order of their gates, frozen', () => {
    expect(BUILT_IN_STAGES.map((stage) => stage.name)).toEqual([
      'snip',
      'micro',
      'collapse',
      'auto',
      'partial',
      'full',
    ]);
    expect(Object.isFrozen(BUILT_IN_STAGES)).toBe(true);
    for (const stage of BUILT_IN_STAGES) expect(Object.isFrozen(stage)).toBe(true);
  });

  it.each(BUILT_IN_STAGES.map((stage) => [stage.name, stage] as const))(
    '%s has defaults and refuses unknown keys',
    (_, stage) => {
      expect(stage.options.safeParse({}).success).toBe(true);
      expect(stage.options.safeParse({ nonsense: 1 }).success).toBe(false);
    },
  );

  it.each(['auto', 'partial', 'full'] as const)(
    '%s leaves a slot for a model over the span it supersedes',
    (name) => {
      const stage = BUILT_IN_STAGES.find((candidate) => candidate.name === name)!;
      const { fixture } = fixturesOf(name)[0]!;
      const bench = Bench.ofChat(fixture.input);
      const [edit] = bench.plan(stage, fixture.options, fixture.goal) as Supersede[];
      expect(edit!.slot).toMatchObject({ fromId: edit!.fromId, toId: edit!.toId, prompt: name });
      expect(edit!.replacement[0]).toMatchObject({
        id: `summary:${edit!.fromId}..${edit!.toId}`,
        role: 'assistant',
        origin: 'synthetic',
        label: 'summary',
      });
    },
  );

  it('collapse keeps of messages that it merges what they are', () => {
    const says = (id: string, text: string, more: object): Message =>
      Object.assign({ id, role: 'user', origin: 'user', parts: [{ type: 'text', text }] } as const, more);
    const back = { origin: 'synthetic', label: 'recalled' };
    const bench = new Bench([
      says('u1', 'Build the mill.', {}),
      says('r1', 'The gate is oak.', back),
      says('r2', 'The wheel is elm.', back),
      says('a1', 'It is built.', { role: 'assistant', origin: 'model' }),
    ]);
    const [edit] = bench.plan(BUILT_IN_STAGES[2]!, {}, { reclaim: 100 }) as Supersede[];
    expect(edit!.replacement).toMatchObject([{ role: 'user', origin: 'synthetic', label: 'recalled' }]);
  });

  it('micro leaves a slot on the message of each result', () => {
    const stage = BUILT_IN_STAGES[1]!;
    const { fixture } = fixturesOf('micro')[0]!;
    const [edit] = Bench.ofChat(fixture.input).plan(stage, fixture.options, fixture.goal);
    expect(edit).toMatchObject({
      kind: 'replace',
      messageId: 'm3',
      slot: { fromId: 'm3', toId: 'm3', prompt: 'micro', maxTokens: 120 },
    });
  });

  it('fills with the summary what is free up to the target, and no more than the option says', () => {
    const stage = BUILT_IN_STAGES[5]!;
    const { fixture } = fixturesOf('full')[0]!;
    const bench = Bench.ofChat(fixture.input);
    const slotOf = (options: unknown, reclaim: number): number =>
      bench.plan(stage, options, { reclaim, budget: 4_000, summaryTokens: 64 })[0]!.slot!.maxTokens;
    expect(slotOf({}, 1_700) - slotOf({}, 1_800)).toBe(100);
    expect(slotOf({ maxSummaryTokens: 50 }, 1_700)).toBe(50);
  });

  it('snip takes the cheapest loss first and stops as soon as enough is reclaimed', () => {
    const { fixture } = fixturesOf('snip').find(({ file }) => file.startsWith('unreferenced'))!;
    const edits = Bench.ofChat(fixture.input).plan(snip, fixture.options, { reclaim: 10 });
    expect(edits.map((edit) => edit.reason)).toEqual(['what was read has changed since']);
  });
});
