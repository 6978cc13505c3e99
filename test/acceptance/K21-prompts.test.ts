import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSpillway } from '../../src/index.js';
import { startEmulator } from '../emulator/index.js';
import { filling, pressed } from './summarizer.js';
import { quarter, spillway, temporaryFolder } from './support.js';

const folder = temporaryFolder();

describe('K21: the summary prompt belongs to the operator', () => {
  it('is written at load if it is missing, and a changed prompt is sent to the summarizer', async () => {
    const emulator = await startEmulator();
    const prompts = join(folder.path, 'prompts');
    await pressed(await filling(emulator, { fill: { prompts } }), 1);
    expect(readdirSync(prompts).sort()).toEqual(
      ['auto', 'full', 'merge', 'micro', 'partial', 'question'].map((name) => `${name}.md`),
    );
    const headings = [...emulator.received[0]!.text.matchAll(/\\n## ([\w, ]+)\\n/g)].map(([, name]) => name);
    expect(headings).toEqual([
      'Goal, constraints and preferences',
      'Progress',
      'Open problem',
      'Key decisions',
      'Files',
      'Next steps',
      'Critical context',
      'Notes',
    ]);

    writeFileSync(
      join(prompts, 'auto.md'),
      'Write like our foreman.\n---\nAt most {{maxTokens}} tokens of it.',
    );
    await pressed(await filling(emulator, { fill: { prompts } }), 1);
    expect(emulator.received[1]!.text).toContain('Write like our foreman.');
    expect(emulator.received[1]!.text).toMatch(/At most \d+ tokens of it\./);
  });

  it('is written by `init` with a configuration that names it, and never overwrites an existing file', async () => {
    const project = join(folder.path, 'project');
    const first = await spillway(['init', project]);
    expect(first).toMatchObject({ code: 0 });
    expect(first.out.match(/^written /gm)).toHaveLength(7);
    expect(readdirSync(project).sort()).toEqual(['prompts', 'spillway.yaml']);

    // The operator owns both.
    const config = join(project, 'spillway.yaml');
    const prompt = join(project, 'prompts', 'auto.md');
    writeFileSync(config, `${readFileSync(config, 'utf8')}target: 0.5\n`);
    writeFileSync(prompt, 'Write like our foreman.\n---\nAt most {{maxTokens}} tokens.');
    rmSync(join(project, 'prompts', 'full.md'));
    const again = await spillway(['init', project]);
    expect(again.out.match(/^written .*/gm)).toEqual([`written ${join(project, 'prompts', 'full.md')}`]);
    expect(readFileSync(config, 'utf8')).toContain('target: 0.5');

    // The path of the prompts is relative to the file, whatever folder the process runs in.
    const emulator = await startEmulator();
    await pressed(await filling(emulator, {}, { configFile: config }), 1);
    expect(emulator.received[0]!.text).toContain('Write like our foreman.');
  });

  it('makes `init` exit with 1 if it cannot be written', async () => {
    const file = folder.file('a-file', '');
    expect(await spillway(['init', join(file, 'below')])).toMatchObject({ code: 1, out: '' });
  });

  it('can be any file for one stage, while the other stages keep theirs', async () => {
    const emulator = await startEmulator();
    const auto = folder.file('ours.txt', 'Write like our foreman.\n---\nAt most {{maxTokens}} tokens.');
    const config = folder.file('paths.yaml', 'fill: { promptFiles: { auto: ours.txt } }\n');
    await pressed(await filling(emulator, { fill: { promptFiles: { auto } } }), 1);
    await pressed(await filling(emulator, {}, { configFile: config }), 1);
    await pressed(
      await filling(emulator, { fill: { promptFiles: { auto } }, roster: [{ stage: 'full', opensAt: 0.9 }] }),
      2,
    );
    expect(emulator.received.map(({ text }) => text.includes('our foreman'))).toEqual([true, true, false]);
    const opening = filling(emulator, { fill: { promptFiles: { atuo: auto } } });
    await expect(opening).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(/fill\.promptFiles.*atuo.*auto/s),
    });
  });

  it('has by default a window of 20 messages, 10 preserved, 1,500 tokens, and no model of its own', async () => {
    const engine = await createSpillway({ counter: quarter, profile: 'operator' });
    expect(engine.stages.find(({ name }) => name === 'auto')!.options).toMatchObject({
      windowMessages: 20,
      preserveRecent: 10,
      maxSummaryTokens: 1_500,
    });
    expect(engine.config.settings.summarizerModel.model).toBeNull();
  });

  it.each([
    [{ fill: { prompts: '/dev/null/x' } }, 'fill.prompts'],
    [{ summarizerModel: { model: 'm' } }, 'baseUrl'],
    [{ summarizerModel: { baseUrl: 'http://127.0.0.1:1/v1' } }, 'summarizerModel.model'],
    [{ summarizerModel: { model: 'm', baseUrl: 'http://127.0.0.1:1/v1', apiKeyEnv: 'NONE' } }, 'NONE'],
    [{ redact: ['('] }, 'redact'],
    [
      { summarizerAgents: { brief: { model: 'm', baseUrl: 'http://127.0.0.1:1/v1', prompt: 'none' } } },
      'summarizerAgents.brief.prompt',
    ],
    [{ fill: { promptFiles: { auto: '/dev/null' } } }, 'fill.promptFiles'],
    [{ fill: { prompts: '/dev/null' } }, 'CONFIG_INVALID: fill.prompts; found'],
    [{ model: 'm', compaction: { prompt: '/dev/null' } }, 'compaction.prompt'],
  ])('settings that cannot be used are refused at start: %j', async (settings, named) => {
    const emulator = await startEmulator();
    await expect(filling(emulator, settings)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(named),
    });
  });
});
