import { DEFAULT_PROFILE, listProfiles, Settings } from '../../../src/config/index.js';
import { configDir, load } from './support.js';

describe('the shipped profiles', () => {
  it('are listed with their first line', async () => {
    const profiles = await listProfiles(configDir);
    expect(profiles.map(({ name }) => name)).toEqual(['agent', 'operator', 'pivot', 'reducer', 'staged']);
    expect(profiles.every(({ description }) => description.length > 20)).toBe(true);
    expect(await listProfiles('nowhere')).toEqual([]);
  });

  it('staged changes nothing', async () => {
    const { settings, entries } = await load({ profile: DEFAULT_PROFILE });
    expect(settings).toEqual(Settings.parse({}));
    expect(entries.every(({ origin }) => origin === 'default')).toBe(true);
  });

  it('operator: one upper and one lower threshold, pruning as a pass of its own', async () => {
    const { settings, stages } = await load({ profile: 'operator' });
    expect(settings).toMatchObject({ target: 0.6, escalation: 'target', prune: 'always', roster: ['auto'] });
    expect(settings.thresholds).toMatchObject({ snipThreshold: 0.85, autoThreshold: 0.85 });
    const snip = {
      mode: 'stub',
      protectTokens: 40_000,
      protectedTools: ['read', 'skill'],
      minimumSavings: 20_000,
    };
    expect(stages['snip']).toMatchObject(snip);
    expect(stages['auto']).toEqual({ windowMessages: 20, preserveRecent: 10, maxSummaryTokens: 1500 });
  });

  it('agent: trim, one trigger, one summary stage, no pruning', async () => {
    const { settings, stages } = await load({ profile: 'agent' });
    expect(settings.trim).toEqual({ threshold: 0.5, maxTokens: 0 });
    expect(settings).toMatchObject({ roster: ['partial'], prune: 'off', trigger: { maxTokens: 0 } });
    expect(settings.thresholds).toMatchObject({ partialThreshold: 0.8, retainCount: 10 });
    expect(stages['snip']).toMatchObject({
      classes: ['arguments'],
      arguments: { mode: 'on', minTokens: 200, protectShare: 0.3 },
    });
  });

  it('reducer: retention per tool, free reducers always', async () => {
    const { settings, stages } = await load({ profile: 'reducer' });
    expect(settings).toMatchObject({ prune: 'always', roster: ['snip', 'auto'] });
    expect(stages['snip']).toMatchObject({
      mode: 'stub',
      notice: '[result expired]',
      retention: { default: { turns: 3 }, tools: { search: { count: 3 }, skill: { neverEvict: true } } },
    });
  });

  it('pivot: full as the pivot, pruning as upkeep', async () => {
    const { settings, stages } = await load({ profile: 'pivot' });
    expect(settings).toMatchObject({ prune: 'iteration', roster: ['full'], compaction: { auto: true } });
    const snip = {
      protectTokens: 40_000,
      minimumSavings: 20_000,
      protectTurns: 2,
      protectedTools: ['skill'],
    };
    expect(stages['snip']).toMatchObject(snip);
  });

  it.each(['operator', 'agent', 'reducer', 'pivot'])(
    '%s stays valid with the whole roster put back',
    async (profile) => {
      const { settings } = await load({ profile, overrides: { roster: Settings.parse({}).roster } });
      expect(settings.roster).toHaveLength(6);
    },
  );
});
