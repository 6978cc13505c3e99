import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { renderDefaultYaml, Settings } from '../../../src/config/index.js';
import { failure, faults, load, subjects, withFiles, stageOptions } from './support.js';

describe('the layers', () => {
  it('give the schema defaults where nothing is set', async () => {
    const { settings, origin, stages } = await load();
    expect(settings).toEqual(Settings.parse({}));
    expect(stages['snip']).toEqual(stageOptions['snip']!.parse({}));
    expect(origin('target')).toBe('default');
  });

  it('win over each other: default < profile < file < environment < code', async () => {
    const text = 'target: 0.3\nminGain: 0.02\nsafetyMargin: 0.02\n';
    await withFiles(
      { 'base.yaml': 'target: 0.2\nminGain: 0.01\nsafetyMargin: 0.01\noutputCap: 1\n', 'mine.yaml': text },
      async (folder) => {
        const profile = join(folder, 'base.yaml');
        const file = join(folder, 'mine.yaml');
        const env = { SPILLWAY_TARGET: '0.4', SPILLWAY_MIN_GAIN: '0.03' };
        const { settings, origin } = await load({ profile, file, env, overrides: { target: 0.5 } });
        expect(settings).toMatchObject({ target: 0.5, minGain: 0.03, safetyMargin: 0.02, outputCap: 1 });
        expect(origin('target')).toBe('code');
        expect(origin('minGain')).toBe('env SPILLWAY_MIN_GAIN');
        expect(origin('safetyMargin')).toBe(`file ${file}`);
        expect(origin('outputCap')).toBe(`profile ${profile}`);
        expect(origin('escalation')).toBe('default');
      },
    );
  });

  it('keep the neighbours of a setting in a section, and merge tables by key', async () => {
    const text = 'thresholds: { retainCount: 3 }\nmodels:\n  gpt-4.1: { contextWindow: 10, inputLimit: 8 }\n';
    await withFiles({ 'mine.yaml': text }, async (folder) => {
      const env = { SPILLWAY_MODELS: '{"gpt-4.1":{"inputLimit":5},"__other":{"outputLimit":1}}' };
      const { settings, origin } = await load({ file: join(folder, 'mine.yaml'), env });
      expect(settings.thresholds).toMatchObject({ retainCount: 3, snipThreshold: 0.8 });
      expect(settings.models).toEqual({
        'gpt-4.1': { contextWindow: 10, inputLimit: 5 },
        __other: { outputLimit: 1 },
      });
      expect(origin('models["gpt-4.1"].inputLimit')).toBe('env SPILLWAY_MODELS');
      expect(origin('models["gpt-4.1"].contextWindow')).toMatch(/^file /);
    });
  });

  it('replace a list as one value', async () => {
    const { settings, origin } = await load({ overrides: { roster: ['full'] } });
    expect(settings.roster).toEqual(['full']);
    expect(origin('roster[0]')).toBe('code');
  });

  it('read a section called default as a section (convict would read it as one setting)', async () => {
    const overrides = {
      stages: { snip: { retention: { default: { turns: 2 }, tools: { default: { count: 1 } } } } },
    };
    const { stages } = await load({ overrides });
    expect(stages['snip']).toMatchObject({
      retention: { default: { turns: 2 }, tools: { default: { count: 1 } } },
    });
  });

  it('may begin with any number of blank lines and comments', async () => {
    const text = `${'\n'.repeat(60)}${'# what the operators of this place agreed on\n\n\n'.repeat(20)}target: 0.5\n`;
    await withFiles({ 'mine.yaml': text }, async (folder) => {
      const { settings } = await load({ file: join(folder, 'mine.yaml') });
      expect(settings.target).toBe(0.5);
    });
  });

  it('set nothing with an empty section', async () => {
    await withFiles({ 'mine.yaml': 'thresholds:\n  # retainCount: 3\nmodels:\n' }, async (folder) => {
      const { settings } = await load({ file: join(folder, 'mine.yaml') });
      expect(settings).toEqual(Settings.parse({}));
    });
  });

  it('give frozen settings that share nothing with the values given', async () => {
    const roster = ['full'];
    const { settings, stages, entries } = await load({ overrides: { roster } });
    roster.push('x');
    expect(settings.roster).toEqual(['full']);
    for (const value of [settings, settings.thresholds, settings.roster, stages, stages['snip'], entries]) {
      expect(Object.isFrozen(value)).toBe(true);
    }
  });
});

it('default.yaml is a layer once it is edited, and is ignored as shipped', async () => {
  await withFiles({}, async (folder) => {
    const shipped = renderDefaultYaml(Settings, stageOptions);
    const path = join(folder, 'default.yaml');
    await writeFile(path, shipped.replaceAll('\n', '\r\n'));
    expect((await load({ configDir: folder })).entries.every(({ origin }) => origin === 'default')).toBe(
      true,
    );
    await writeFile(path, shipped.replace('target: 0.6', 'target: 0.5'));
    const { settings, origin } = await load({ configDir: folder });
    expect(settings.target).toBe(0.5);
    expect(origin('target')).toBe('file default.yaml');
    expect(origin('minGain')).toBe('default');
  });
});

describe('profiles', () => {
  it('are extended by a file, in a chain, unless a profile is named as well', async () => {
    const files = {
      'a.yaml': 'target: 0.1\nminGain: 0.01\n',
      'b.yaml': 'extends: ./a.yaml\ntarget: 0.2\n',
      'mine.yaml': 'extends: b.yaml\noutputCap: 7\n',
    };
    await withFiles(files, async (folder) => {
      const file = join(folder, 'mine.yaml');
      const extended = await load({ file });
      expect(extended.settings).toMatchObject({ target: 0.2, minGain: 0.01, outputCap: 7 });
      expect(extended.origin('minGain')).toBe('profile ./a.yaml');
      const named = await load({ file, profile: 'staged' });
      expect(named.settings).toMatchObject({ target: 0.6, outputCap: 7 });
      expect(
        (await load({ env: { SPILLWAY_CONFIG: file, SPILLWAY_PROFILE: 'pivot' } })).settings.roster,
      ).toEqual(['full']);
    });
  });

  it('resolve their paths from their own folder', async () => {
    const files = {
      'team/base.yaml': 'fill: { prompts: ./prompts }\nplugins: [./mine]\npins: { root: .. }\n',
      'mine.yaml': 'extends: ./team/base.yaml\n',
    };
    await withFiles(files, async (folder) => {
      const { settings } = await load({ file: join(folder, 'mine.yaml') });
      expect(settings.fill.prompts).toBe(join(folder, 'team', 'prompts'));
      expect(settings.plugins).toEqual([join(folder, 'team', 'mine')]);
      expect(settings.pins.root).toBe(folder);
    });
  });

  it('cannot be extended by default.yaml, and an agent file may use the key `extends` for itself', async () => {
    await withFiles({ 'default.yaml': 'extends: agent\n' }, async (configDir) => {
      expect(await faults({ configDir })).toMatchObject([
        { subject: 'extends', origin: 'file default.yaml' },
      ]);
    });
    await withFiles({ 'reviewer.md': '---\nextends: [base]\ncontext: 9000\n---\n' }, async (folder) => {
      const agentFiles = { primary: join(folder, 'reviewer.md') };
      const { agents } = await load({ overrides: { agentFiles } });
      expect(agents['primary']!.settings.window).toBe(9_000);
    });
  });

  it('may not extend each other in a circle', async () => {
    await withFiles({ 'a.yaml': 'extends: b.yaml\n', 'b.yaml': 'extends: a.yaml\n' }, async (folder) => {
      expect(await subjects({ profile: join(folder, 'a.yaml') })).toEqual(['extends']);
    });
  });

  it('that do not exist are refused with a list of the known ones', async () => {
    const error = await failure({ profile: 'operater' });
    expect(error.code).toBe('PROFILE_UNKNOWN');
    expect(error.facts['known']).toEqual(['agent', 'operator', 'pivot', 'reducer', 'staged']);
    expect(error.faults[0]).toMatchObject({ found: 'operater', remedy: expect.stringContaining('operator') });
    expect((await failure({ profile: './nowhere.yaml' })).code).toBe('PROFILE_UNKNOWN');
  });
});

describe('stages of third parties', () => {
  const foreign = {
    parse: (value: unknown) => value,
    safeParse: (data: unknown) => ({ success: true, data }),
  };

  it('may have any schema: optional sections, transforms, a schema that is not zod’s', async () => {
    const mine = z.object({
      far: z.strictObject({ turns: z.int().default(2) }).optional(),
      when: z.string().default('1').transform(Number),
    });
    const mineToo = { ...stageOptions, mine, foreign: foreign as never, any: z.any() };
    const { stages } = await load({ stageOptions: mineToo, overrides: { stages: { foreign: { x: 1 } } } });
    expect(stages).toMatchObject({ mine: { when: 1 }, foreign: { x: 1 }, any: {} });
    expect(stages['mine']).not.toHaveProperty('far');
    const env = { SPILLWAY_STAGES_MINE_FAR_TURNS: '5', SPILLWAY_STAGES_FOREIGN: '{"y":2}' };
    expect((await load({ stageOptions: mineToo, env })).stages).toMatchObject({
      mine: { far: { turns: 5 } },
      foreign: { y: 2 },
    });
  });

  it('are reported as a fault if their schema throws', async () => {
    const broken = z.strictObject({}).refine(() => {
      throw new Error('boom');
    });
    expect(await subjects({ stageOptions: { ...stageOptions, broken } })).toEqual(['stages.broken']);
  });

  it('are reported by the name of a required option that is missing', async () => {
    const mineToo = { ...stageOptions, mine: z.strictObject({ url: z.string() }) };
    expect(await subjects({ stageOptions: mineToo })).toEqual(['stages.mine.url']);
  });

  it('need no default.yaml and no profile in the configuration folder', async () => {
    await withFiles({}, async (folder) => {
      await mkdir(join(folder, 'profiles'));
      expect((await load({ configDir: folder })).settings).toEqual(Settings.parse({}));
    });
  });
});
