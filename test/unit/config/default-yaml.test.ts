import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { loadConfig, renderDefaultYaml, Settings } from '../../../src/config/index.js';
import { configDir, stageOptions } from './support.js';

/** `SPILLWAY_TEST_WRITE=1` writes the file anew after a change of the schema. */
const path = join(configDir, 'default.yaml');

describe('config/default.yaml', () => {
  it('is what the schema generates', async () => {
    const generated = renderDefaultYaml(Settings, stageOptions);
    if (process.env['SPILLWAY_TEST_WRITE']) await writeFile(path, generated);
    expect(await readFile(path, 'utf8')).toBe(generated);
  });

  it('says what the schema and the layering say', async () => {
    const { stages = {}, ...settings } = parse(await readFile(path, 'utf8')) as Record<string, unknown>;
    expect(settings).toEqual(Settings.parse({}));
    const effective = await loadConfig({ env: {}, stageOptions, configDir });
    expect(effective.settings).toEqual(settings);
    // A section without defaults of its own is printed empty, which YAML reads as null.
    const printed = JSON.parse(
      JSON.stringify(stages)
        .replaceAll('"default":null', '"default":{}')
        .replaceAll('"dialogue":null', '"dialogue":{}'),
    ) as unknown;
    expect(effective.stages).toEqual(printed);
  });

  it('describes every setting', async () => {
    const { entries } = await loadConfig({ env: {}, stageOptions, configDir });
    expect(entries.filter(({ description }) => description === '')).toEqual([]);
  });

  it('renders stage options that parse to their defaults', () => {
    const { stages } = parse(renderDefaultYaml(Settings, stageOptions)) as { stages: Record<string, object> };
    const { auto, snip } = stageOptions;
    expect(auto!.parse(stages['auto'])).toEqual(auto!.parse({}));
    const { retention, dialogue, ...rest } = stages['snip'] as Record<string, unknown>;
    expect(dialogue).toBeNull();
    expect(retention).toEqual({ default: null, tools: {} });
    expect(snip!.parse(rest)).toEqual(snip!.parse({}));
  });
});
