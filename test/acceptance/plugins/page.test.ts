import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createSpillway, definePlugin, type Plugin } from '../../../src/index.js';
import { quarter, says, system, user } from '../../support/chats.js';
import { read, shownText, talk, temporaryFolder, sessionOf, preparedAt } from '../support.js';

const page = readFileSync(resolve('docs', 'plugins.md'), 'utf8');
const folder = temporaryFolder();

/** The code blocks of a language, in order. */
const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))].map(([, code]) => code!);

it('K5 K23: the plugin of docs/plugins.md loads from its two files, and injects what was decided', async () => {
  const path = join(folder.path, 'notes');
  mkdirSync(join(path, 'node_modules', 'spillway'), { recursive: true });
  symlinkSync(resolve('node_modules', 'zod'), join(path, 'node_modules', 'zod'));
  // The package as its users have it, as far as the page needs it.
  writeFileSync(
    join(path, 'node_modules', 'spillway', 'package.json'),
    '{"type":"module","exports":{"./spi":"./spi.js"}}',
  );
  writeFileSync(
    join(path, 'node_modules', 'spillway', 'spi.js'),
    'export const definePlugin = Object.freeze;',
  );
  writeFileSync(join(path, 'package.json'), blocks('json')[0]!);
  writeFileSync(join(path, 'index.js'), blocks('js')[0]!);
  const spillway = await createSpillway({
    counter: quarter,
    inputBudget: 4_000,
    plugins: [path],
    settings: {
      safetyMargin: 0,
      knobs: { notes: { most: 5 } },
      roster: ['full'],
      thresholds: { fullThreshold: 0.7 },
      target: 0.5,
    },
  });
  const session = spillway.session();
  await session.append(
    ...read([system('You help.'), user('Go.'), says('DECIDED: the port is 8443.'), ...talk(11, 150)]),
  );
  await preparedAt(session, 0.9);
  const carried = session.view.filter(({ message }) => message.label === 'injected');
  expect(carried.map(shownText)).toEqual(['DECIDED: the port is 8443.']);
});

it('K3: the compactor of docs/plugins.md returns a list that is accepted', async () => {
  const source = blocks('js')[1]!
    .trim()
    .replace(/^compact: /, '')
    .replace(/,$/, '');
  const compact = new Function(`return ${source};`)() as NonNullable<Plugin['compactor']>['compact'];
  const plugins = [definePlugin({ name: 'page', compactor: { compact } })];
  const session = await sessionOf(
    4_000,
    [system('You help.'), user('Go.'), says('Yes.'), ...talk(25, 60)],
    { compaction: { strategy: 'delegate' } },
    { plugins },
  );
  const { run } = await preparedAt(session, 0.9);
  expect([run.kind, run.record!.plan.edits[0]!.reason]).toEqual([
    'committed',
    'page: kept the newest twenty',
  ]);
  expect(session.view.map(shownText)).toContain('32 older messages.');
});
