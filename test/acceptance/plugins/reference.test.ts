import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
// Jest cannot link a package that two modules begin to load at once.
import 'zod';
import { createSpillway } from '../../../src/index.js';
import { readSession } from '../../../src/faces/importers/index.js';
import { linkPackages, runOwnTests } from '../../support/packages.js';
import { quarter, shownText, spillway, temporaryFolder } from '../support.js';

const folder = temporaryFolder();
const SESSION = join('examples', 'sessions', 'pressure-gauge.jsonl');
const plugin = (name: string): string => resolve('examples', 'plugins', name);

describe('K24: the two reference plugins', () => {
  it.each([
    ['memory', 11],
    ['markdown', 8],
  ])('K24: %s passes its own tests as a package of its own', async (name, tests) => {
    const to = join(folder.path, name);
    cpSync(plugin(name), to, { recursive: true });
    linkPackages(to);
    const { code, out } = await runOwnTests(to);
    expect(out).toMatch(/^# fail 0$/m);
    expect(out).toMatch(new RegExp(`^# pass ${tests}$`, 'm'));
    expect(code).toBe(0);
  });

  it('K24: both together on the recorded session inject facts, and write down the messages that left', async () => {
    const file = join(folder.path, 'facts.jsonl');
    const pages = join(folder.path, 'pages');
    const engine = await createSpillway({
      counter: quarter,
      inputBudget: 16_000,
      plugins: [plugin('memory'), plugin('markdown')],
      settings: { knobs: { memory: { file, maxTokens: 400 }, markdown: { folder: pages } } },
    });
    const session = engine.session({ id: 'gauge' });
    const { parsed } = await readSession(SESSION);
    session.append(...parsed.messages);
    expect((await session.prepare()).run.kind).toBe('committed');
    const facts = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(facts.length).toBeGreaterThan(0);
    for (const { text, message } of facts)
      expect(JSON.stringify(parsed.messages.find(({ id }) => id === message))).toContain(
        JSON.stringify(text).slice(1, -1),
      );
    const carried = session.view.filter(({ message }) => message.label === 'injected').map(shownText);
    expect(carried).toEqual([expect.stringMatching(/^From the memory of earlier work/)]);
    expect(readdirSync(pages)).toEqual(['gauge.md']);
    expect(readFileSync(join(pages, 'gauge.md'), 'utf8')).toMatch(/messages that left: \d\d+/);
    await engine.close();
  });

  it('K24: a reference plugin runs from the command line if a configuration file names it', async () => {
    const pages = join(folder.path, 'cli-pages');
    const config = folder.file(
      'spillway.yaml',
      `plugins: [${plugin('markdown')}]\nknobs: { markdown: { folder: ${pages} } }\n`,
    );
    const { code, err } = await spillway([
      'compact',
      SESSION,
      '--window',
      '16000',
      '--config',
      config,
      '--out',
      join(folder.path, 'request.json'),
    ]);
    expect([code, err.includes('PLUGIN')]).toEqual([0, false]);
    expect(readdirSync(pages)).toHaveLength(1);
  });
});
