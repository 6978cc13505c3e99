import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { filledIn, loadPrompts, PROMPT_FILES, PROMPT_NAMES } from '../../../src/summarizers/index.js';
import { packageFolder } from '../../../src/package-folder.js';

const ours = join(packageFolder(), 'config', 'prompts');
let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'spillway-prompts-'))));
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('prompts', () => {
  it('have a system text and an instruction each, and a version', async () => {
    const prompts = await loadPrompts({ ours });
    for (const name of PROMPT_NAMES) {
      const prompt = prompts.of(name);
      expect(prompt).toMatchObject({ name, hash: expect.stringMatching(/^[0-9a-f]{16}$/) });
      expect(prompt.instruction).toContain('{{maxTokens}}');
      expect(prompt.system).toMatch(/do\s+not\s+call\s+tools/);
    }
    expect(prompts.of('a stage of your own')).toBe(prompts.of('auto'));
  });

  it('are written out where the operator has a folder, and never over theirs', async () => {
    const theirs = join(folder, 'prompts');
    const first = await loadPrompts({ ours, theirs });
    expect((await readdir(theirs)).sort()).toEqual(PROMPT_FILES.map((name) => `${name}.md`).sort());
    await writeFile(join(theirs, 'auto.md'), 'Our house style.\n---\nAt most {{maxTokens}} tokens.');
    await rm(join(theirs, 'full.md'));
    const second = await loadPrompts({ ours, theirs });
    expect(second.of('auto')).toMatchObject({ system: 'Our house style.' });
    expect(second.of('auto').hash).not.toBe(first.of('auto').hash);
    expect(await readFile(join(theirs, 'full.md'), 'utf8')).toBe(
      await readFile(join(ours, 'full.md'), 'utf8'),
    );
  });

  it('take values as they are', () => {
    expect(filledIn('{{a}} of {{b}} {{c}}', { a: '$&', b: 2 })).toBe('$& of 2 {{c}}');
  });
});
