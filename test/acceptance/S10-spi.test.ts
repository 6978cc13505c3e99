import { describe, expect, it } from '@jest/globals';
import { Container } from 'inversify';
import { z } from 'zod';
import { open, POLLED, PollsStage, ROSTERS } from '../../examples/custom-stage.js';
import { createContainer, openSpillway, SERVICES } from '../../src/container.js';
import { createSpillway, defineStage } from '../../src/index.js';
import { opened, quarter, shownText } from './support.js';

async function play(how: keyof typeof ROSTERS, settings = {}) {
  const spillway = await open(ROSTERS[how], settings);
  const session = spillway.session();
  session.append(...POLLED);
  const { run, view } = await session.prepare();
  return { spillway, run, results: view.filter(({ message }) => message.role === 'tool').map(shownText) };
}

/** Nobody finds anything to take, so that every gate is tried. */
const IDLE = {
  window: 5_000,
  stages: { polls: { tools: [] }, snip: { classes: [] }, micro: { minTokens: 1_000_000 } },
};

describe('S10: a third party adds, replaces, reorders or switches off a stage without touching our source', () => {
  it('adds a decorated class by binding it, and opens it by name', async () => {
    const { run, results, spillway } = await play('added');
    expect(opened(run)).toEqual(['polls']);
    expect(run.record!.plan.edits).toHaveLength(19);
    expect(results.slice(0, -1).every((text) => text === '[a newer answer follows]')).toBe(true);
    expect(results.at(-1)).toContain('step 19 of 20');
    expect(spillway.stages[0]).toMatchObject({ name: 'polls', opensAt: 0.8, options: { tools: ['poll'] } });
  });

  it('puts it in the place of a built-in stage', async () => {
    const { run, spillway } = await play('in place of snip', IDLE);
    expect(opened(run).slice(0, 3)).toEqual(['polls', 'micro', 'collapse']);
    expect(opened(run)).not.toContain('snip');
    // Still provided, no longer in the roster.
    expect(spillway.stages.find(({ name }) => name === 'snip')).not.toHaveProperty('opensAt');
  });

  it('puts stages into another order', async () => {
    const { run } = await play('reordered', IDLE);
    // Below the last of them the floor.
    expect(opened(run)).toEqual(['collapse', 'snip', 'polls', 'drop']);
  });

  it('switches it off by leaving it out', async () => {
    const { run, results } = await play('switched off');
    expect(opened(run)).toEqual(['snip']);
    expect(results).not.toContain('[a newer answer follows]');
  });

  it('takes a plain object by defineStage', async () => {
    const seen: unknown[] = [];
    const watcher = defineStage({
      name: 'watcher',
      summary: 'Looks and proposes nothing.',
      options: z.strictObject({ mood: z.string().default('calm') }),
      plan: (view, { options }) => {
        seen.push(options, view.exchanges.length);
        return { edits: [] };
      },
    });
    const spillway = await createSpillway({
      counter: quarter,
      stages: [watcher],
      inputBudget: 5_000,
      settings: {
        roster: [{ stage: 'watcher', opensAt: 0.7 }, 'full'],
        stages: { watcher: { mood: 'busy' } },
      },
    });
    const session = spillway.session();
    session.append(...POLLED);
    const { run } = await session.prepare();
    expect(opened(run)).toEqual(['watcher', 'full']);
    expect(seen).toEqual([{ mood: 'busy' }, 23]);
  });

  it('comes in through a container of the host, or a child of ours', async () => {
    for (const container of [
      new Container(),
      new Container({ parent: createContainer() }),
      createContainer(),
    ]) {
      container.bind(SERVICES.TokenCounter).toConstantValue(quarter);
      container.bind(SERVICES.Stage).to(PollsStage);
      const spillway = await openSpillway(container, {
        settings: { window: 8_000, reserve: { output: 0 }, roster: ROSTERS.added },
      });
      expect(spillway.stages.map(({ name }) => name)).toContain('polls');
      expect(container.get(SERVICES.Spillway)).toBe(spillway);
      const session = spillway.session();
      session.append(...POLLED);
      expect(opened((await session.prepare()).run)).toEqual(['polls']);
    }
  });

  it.each(['pins', 'fresh', 'drop', 'regrow', 'claims', 'inject', 'injection', 'delegate', 'signatures'])(
    'may not be called %s: a step of the pipeline is',
    async (name) => {
      const stage = defineStage({
        name,
        summary: 'Does nothing.',
        options: z.strictObject({}),
        plan: () => ({ edits: [] }),
      });
      await expect(createSpillway({ stages: [stage] })).rejects.toMatchObject({
        code: 'STAGE_DUPLICATE',
        message: expect.stringContaining(`"${name}"`),
      });
    },
  );

  it('is told of its mistakes: an unknown name, a name taken twice, wrong options', async () => {
    const container = createContainer();
    container.bind(SERVICES.Stage).to(PollsStage);
    container.bind(SERVICES.Stage).to(PollsStage);
    await expect(openSpillway(container)).rejects.toMatchObject({ code: 'STAGE_DUPLICATE' });
    await expect(open([{ stage: 'poll', opensAt: 0.8 }])).rejects.toMatchObject({
      code: 'STAGE_UNKNOWN',
      message: expect.stringContaining('polls'),
    });
    await expect(open(ROSTERS.added, { stages: { polls: { tool: [] } } })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('stages.polls.tool'),
    });
  });
});
