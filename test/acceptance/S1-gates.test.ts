import { z } from 'zod/v4';
import { defineStage } from '../../src/index.js';
import { prose, says, step, system, user } from '../support/chats.js';
import { answered, engine, opened, preparedAt, read, sessionOf, talk } from './support.js';

const BUDGET = 20_000;

/** Plain talk: nothing for snip, micro and collapse; auto and partial are set to keep all of it. */
const IDLE = { thresholds: { retainCount: 1_000 }, stages: { auto: { preserveRecent: 1_000 } } };
const TALK = [system('Answer briefly.'), ...talk(30, 200)];

/** It never says how much it could free, so a run is planned even if all others say that they could free too little. */
const WATCH = defineStage({
  name: 'watch',
  summary: 'Looks on.',
  options: z.strictObject({}),
  plan: () => ({ edits: [] }),
});

describe('S1: six stages open in order at 0.80 / 0.84 / 0.88 / 0.92 / 0.95 / 0.98 of the budget', () => {
  it.each([
    [0.795, []],
    [0.805, ['snip']],
    [0.845, ['snip', 'micro']],
    [0.885, ['snip', 'micro', 'collapse']],
    [0.925, ['snip', 'micro', 'collapse', 'auto']],
    [0.985, ['snip', 'micro', 'collapse', 'auto', 'partial', 'full']],
  ])('at %d of the budget: %j', async (pressure, stages) => {
    const roster = [
      { stage: WATCH.name, opensAt: 0.8 },
      'snip',
      'micro',
      'collapse',
      'auto',
      'partial',
      'full',
    ];
    const session = await sessionOf(BUDGET, TALK, { ...IDLE, roster }, { stages: [WATCH] });
    const { run } = await preparedAt(session, pressure);
    expect(opened(run).filter((stage) => stage !== WATCH.name)).toEqual(stages);
  });

  it('S1: from 0.95 on a run that frees too little opens all stages below its gate, but full only from 0.98', async () => {
    const session = await sessionOf(BUDGET, TALK, IDLE);
    const { run } = await preparedAt(session, 0.965);
    expect(opened(run)).toEqual(['snip', 'micro', 'collapse', 'auto', 'partial']);
    expect(run.kind).toBe('noop');
    session.append(answered('yes', 'Yes.'));
    const last = (await preparedAt(session, 0.985, 901)).run;
    expect(opened(last)).toEqual(['snip', 'micro', 'collapse', 'auto', 'partial', 'full']);
    expect(last.kind).toBe('committed');
  });

  it('S1: from 0.95 on later stages stay closed if the earlier ones free enough', async () => {
    const session = await sessionOf(BUDGET, TALK, { thresholds: { retainCount: 1_000 } });
    const { run } = await preparedAt(session, 0.955);
    expect(opened(run)).toEqual(['snip', 'micro', 'collapse', 'auto']);
  });

  it('a run stops at the first stage that brings pressure below the next gate', async () => {
    const session = await sessionOf(BUDGET, TALK);
    const { run, reading } = await preparedAt(session, 0.99);
    // Auto has messages to remove here: it brings pressure below 0.95, so partial and full stay closed.
    expect(opened(run)).toEqual(['snip', 'micro', 'collapse', 'auto']);
    expect(run.stages.at(-1)!.outcome).toBe('applied');
    expect(reading.pressure).toBeLessThan(0.95);
  });

  it('all six open in one run and one commit when pressure jumps from 0.70 to 0.99', async () => {
    const spillway = await engine(BUDGET, IDLE);
    const session = spillway.session();
    session.append(...read([system('Answer briefly.'), ...talk(30, 200)]));
    expect((await preparedAt(session, 0.7)).run.kind).toBe('below-gate');
    session.append(answered('answer', 'Yes.'));
    const { run } = await preparedAt(session, 0.99, 901);
    expect(opened(run)).toEqual(['snip', 'micro', 'collapse', 'auto', 'partial', 'full']);
    expect(run.kind).toBe('committed');
    expect(session.operator.history).toHaveLength(1);
  });

  it('only snip opens if that is enough', async () => {
    const chat = [
      user('Find the mill.'),
      ...Array.from({ length: 20 }, (_, i) => step('Bash', { command: `ls ${i}` }, prose(700, i))).flat(),
    ];
    const session = await sessionOf(BUDGET, [...chat, says('Nothing there.')], {
      stages: { snip: { protectTokens: 0 } },
    });
    const { run, reading } = await preparedAt(session, 0.99);
    expect(opened(run)).toEqual(['snip']);
    expect(reading.pressure).toBeLessThanOrEqual(0.61);
  });
});
