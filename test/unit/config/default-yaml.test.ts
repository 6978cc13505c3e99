import { describe, expect, it } from '@jest/globals';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { loadConfig, renderDefaultYaml, Settings } from '../../../src/config/index.js';
import { standInStages } from './stand-in-stages.js';
import { configDir } from './support.js';

/** STAND-IN: none yet. The options schemas of the built-in stages come here. */
const builtInStages = {};

/** `SPILLWAY_TEST_WRITE=1` writes the file anew after a change of the schema. */
const path = join(configDir, 'default.yaml');

describe('config/default.yaml', () => {
  it('is what the schema generates', async () => {
    const generated = renderDefaultYaml(Settings, builtInStages);
    if (process.env['SPILLWAY_TEST_WRITE']) await writeFile(path, generated);
    expect(await readFile(path, 'utf8')).toBe(generated);
  });

  it('says what the schema and the layering say', async () => {
    const { stages = {}, ...settings } = parse(await readFile(path, 'utf8')) as Record<string, unknown>;
    expect(settings).toEqual(Settings.parse({}));
    const effective = await loadConfig({ env: {}, stageOptions: builtInStages, configDir });
    expect(effective.settings).toEqual(settings);
    expect(effective.stages).toEqual(stages);
  });

  it('describes every setting', async () => {
    const { entries } = await loadConfig({ env: {}, stageOptions: builtInStages, configDir });
    expect(entries.filter(({ description }) => description === '')).toEqual([]);
  });

  it('renders stage options that parse to their defaults', () => {
    const { stages } = parse(renderDefaultYaml(Settings, standInStages)) as {
      stages: Record<string, object>;
    };
    expect(standInStages.auto.parse(stages['auto'])).toEqual(standInStages.auto.parse({}));
    const { retention, dialogue, ...snip } = stages['snip'] as Record<string, unknown>;
    expect(dialogue).toBeNull();
    expect(retention).toEqual({ default: null, tools: {} });
    expect(standInStages.snip.parse(snip)).toEqual(standInStages.snip.parse({}));
  });
});
