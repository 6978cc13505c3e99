import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { createSpillway } from '../../src/index.js';
import { startEmulator } from '../emulator/index.js';
import { filling, pressed } from './summarizer.js';
import { quarter, temporaryFolder } from './support.js';

const folder = temporaryFolder();

describe('K21: the summary prompt belongs to the operator', () => {
  it('is written where they want it, missing ones at load, and their words are the ones that are sent', async () => {
    const emulator = await startEmulator();
    const prompts = join(folder.path, 'prompts');
    await pressed(await filling(emulator, { fill: { prompts } }), 1);
    expect(readdirSync(prompts).sort()).toEqual(
      ['auto', 'full', 'join', 'merge', 'micro', 'partial', 'question'].map((name) => `${name}.md`),
    );
    expect(emulator.received[0]!.text).toMatch(
      /Goal \/ Constraints and preferences \/ Progress.*Key decisions.*Next steps.*Critical context \/ Notes/,
    );

    writeFileSync(
      join(prompts, 'auto.md'),
      'Write like our foreman.\n---\nAt most {{maxTokens}} tokens of it.',
    );
    await pressed(await filling(emulator, { fill: { prompts } }), 1);
    expect(emulator.received[1]!.text).toContain('Write like our foreman.');
    expect(emulator.received[1]!.text).toMatch(/At most \d+ tokens of it\./);
  });

  it('starts from a window of 20 messages, 10 preserved, 1,500 tokens, and the model of the agent', async () => {
    const spillway = await createSpillway({ counter: quarter, profile: 'operator' });
    expect(spillway.stages.find(({ name }) => name === 'auto')!.options).toMatchObject({
      windowMessages: 20,
      preserveRecent: 10,
      maxSummaryTokens: 1_500,
    });
    expect(spillway.config.settings.summarizerModel.model).toBeNull();
  });

  it.each([
    [{ fill: { prompts: '/dev/null/x' } }, 'fill.prompts'],
    [{ summarizerModel: { model: 'm' } }, 'baseUrl'],
    [{ summarizerModel: { baseUrl: 'http://127.0.0.1:1/v1' } }, 'summarizerModel.model'],
    [{ summarizerModel: { model: 'm', baseUrl: 'http://127.0.0.1:1/v1', apiKeyEnv: 'NONE' } }, 'NONE'],
    [{ redact: ['('] }, 'redact'],
  ])('what cannot be opened is an error at start: %j', async (settings, named) => {
    const emulator = await startEmulator();
    await expect(filling(emulator, settings)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(named),
    });
  });
});
