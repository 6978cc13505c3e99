import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  fillTemplate,
  loadPrompts,
  parsePrompt,
  PROMPT_FILES,
  PROMPT_NAMES,
} from '../../../src/summarizers/index.js';
import { packageFolder } from '../../../src/package-folder.js';

const ours = join(packageFolder(), 'config', 'prompts');
let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'spillway-prompts-'))));
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('prompts', () => {
  it('have a system text and an instruction each, and a version', async () => {
    const prompts = await loadPrompts({ packaged: ours });
    for (const name of PROMPT_NAMES) {
      const prompt = prompts.of(name);
      expect(prompt).toMatchObject({ name, hash: expect.stringMatching(/^[0-9a-f]{16}$/) });
      expect(prompt.instruction).toContain('{{maxTokens}}');
      expect(prompt.system).toMatch(/do\s+not\s+call\s+tools/);
    }
    expect(prompts.of('a stage of your own')).toBe(prompts.of('auto'));
  });

  it.each(['auto', 'partial', 'full', 'merge'])(
    '%s: the same headings in order of what stays longest, a most and no least, what to cut, and no order to the reader',
    async (name) => {
      const prompts = await loadPrompts({ packaged: ours });
      const { system, instruction } = prompts.of(name);
      const headings = (text: string) => text.slice(text.indexOf('## '), text.indexOf('## Notes'));
      expect(headings(system)).toBe(headings(prompts.of('auto').system));
      expect(headings(system)).toMatch(
        /user's own words[^]*verified[^]*assumed[^]*tried[^]*reason[^]*committed/,
      );
      expect(instruction).toMatch(/at most {{maxTokens}} tokens, or about {{maxChars}} characters/);
      expect(`${system}\n${instruction}`).not.toMatch(/at least|no fewer|as long as/i);
      expect(system).toMatch(/Where the record\s+is full,\s+cut from the end/);
      expect(system).toMatch(/past tense[^]*give no orders/);
      expect(system).toMatch(/as (?:what )?a tool said|that it was a tool/);
    },
  );

  it.each(['auto', 'partial', 'merge'])('%s: names the piece', async (name) => {
    const { instruction } = (await loadPrompts({ packaged: ours })).of(name);
    expect(instruction).toContain('{{piece}}');
  });

  it('are divided at the first line of dashes, and keep what stands behind a second one', () => {
    const { system, instruction } = parsePrompt('auto', 'Be brief.\r\n---\r\nFirst.\r\n---\r\nThen.\r\n');
    expect([system, instruction]).toEqual(['Be brief.', 'First.\r\n---\r\nThen.']);
  });

  it('are ours where the folder has no name', () => {
    expect(loadPrompts({ packaged: ours, custom: '' }).of('full')).toEqual(
      loadPrompts({ packaged: ours }).of('full'),
    );
  });

  it('are written out where the operator has a folder, and never over theirs', async () => {
    const theirs = join(folder, 'prompts');
    const first = await loadPrompts({ packaged: ours, custom: theirs });
    expect((await readdir(theirs)).sort()).toEqual(PROMPT_FILES.map((name) => `${name}.md`).sort());
    await writeFile(join(theirs, 'auto.md'), 'Our house style.\n---\nAt most {{maxTokens}} tokens.');
    await rm(join(theirs, 'full.md'));
    const second = await loadPrompts({ packaged: ours, custom: theirs });
    expect(second.of('auto')).toMatchObject({ system: 'Our house style.' });
    expect(second.of('auto').hash).not.toBe(first.of('auto').hash);
    expect(await readFile(join(theirs, 'full.md'), 'utf8')).toBe(
      await readFile(join(ours, 'full.md'), 'utf8'),
    );
  });

  it('take values as they are', () => {
    expect(fillTemplate('{{a}} of {{b}} {{c}}', { a: '$&', b: 2 })).toBe('$& of 2 {{c}}');
  });
});
