import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { DEMO_WINDOW } from '../../../src/faces/cli/commands/demo.js';
import { createProgram } from '../../../src/faces/cli/main.js';
import { createTerminal, EXIT } from '../../../src/faces/cli/terminal.js';
import { Settings } from '../../../src/config/index.js';
import { packageFolder } from '../../../src/index.js';

const root = packageFolder();
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const readme = read('README.md');

/** Everything a newcomer reads. */
const PAGES = [
  'README.md',
  'CHANGELOG.md',
  'examples/README.md',
  'site/index.md',
  ...readdirSync(join(root, 'docs'), { recursive: true })
    .map(String)
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`),
];

/** Commands of a page: lines of its shell blocks, and what stands in backquotes and begins like one. */
function commandsOf(page: string): string[] {
  const text = read(page);
  const blocks = [...text.matchAll(/^```sh(?: \[.*\])?\n(.*?)^```/gms)].flatMap(([, block]) =>
    block!.split('\n'),
  );
  const inline = [...text.matchAll(/`((?:npm|npx|node|spillway) [^`]+)`/g)].map(([, line]) => line!);
  return [...blocks, ...inline]
    .map((line) => line.replace(/ +#.*| …$/, '').trim())
    .filter((line) => line !== '');
}

/** The command line, parsing only. */
function parser(): Command {
  const program = createProgram(createTerminal(), () => {});
  const mute = (command: Command): void => {
    command.action(() => {}).exitOverride();
    command.configureOutput({ writeOut: () => {}, writeErr: () => {} });
    command.commands.forEach(mute);
  };
  program.commands.forEach(mute);
  return program;
}

/** Cells of the rows of the first table below a heading, without backquotes. */
function tableBelow(text: string, heading: string): string[][] {
  const below = text.slice(text.indexOf(`\n${heading}\n`));
  const table = /(?:^\|.*\|\n)+/m.exec(below)?.[0] ?? '';
  const rows = table.trim().split('\n').slice(2);
  return rows.map((row) =>
    row
      .slice(1, -1)
      .split(' | ')
      .map((cell) => cell.trim().replace(/^`|`$/g, '')),
  );
}

const at = (value: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((inner, key) => (inner as Record<string, unknown>)[key], value);

describe.each(PAGES)('%s', (page) => {
  it('names files that exist', () => {
    const links = [...read(page).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path]) => path!);
    const missing = links.filter((path) => !existsSync(join(root, dirname(page), path)));
    expect(missing).toEqual([]);
    const code = [...read(page).matchAll(/`((?:src|docs|config|examples|scripts|test)\/[\w./-]+)`/g)];
    expect(code.map(([, path]) => path!).filter((path) => !existsSync(join(root, path)))).toEqual([]);
    // Source files may go by their path below src.
    const sources = [...read(page).matchAll(/`((?:[\w-]+\/)+[\w-]+\.ts)`/g)].map(([, path]) => path!);
    const places = (path: string): string[] =>
      ['', 'src', 'test/acceptance'].map((folder) => join(root, folder, path));
    expect(sources.filter((path) => !places(path).some(existsSync))).toEqual([]);
  });

  it('names commands that exist', async () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    for (const line of commandsOf(page)) {
      const words = line.split(/\s+/);
      const rest = /^(?:npx |node dist\/cli\/)?spillway(?:\.js)? (.*)$/.exec(line)?.[1];
      if (rest !== undefined && /^[a-z]/.test(rest)) {
        const args = rest.split(/\s+/);
        const command = parser().commands.find((known) => known.name() === args[0]);
        expect([line, command?.name()]).toEqual([line, args[0]]);
        // In a sentence a command may stand without its arguments; what it names of options has to be there.
        const options = args.filter((arg) => arg.startsWith('--'));
        for (const option of options) expect(command!.options.map(({ long }) => long)).toContain(option);
        if (line.startsWith('node ')) await parser().parseAsync(['node', 'spillway', ...args]);
        for (const path of args.filter((arg) => arg.startsWith('examples/')))
          expect(existsSync(join(root, path))).toBe(true);
      } else if (words[0] === 'npm') {
        const script = words[1] === 'run' ? words[2] : words[1];
        if (script !== 'ci' && script !== 'install') expect(scripts).toHaveProperty([script!]);
      } else if (words[0] === 'node' || words[1] === 'tsx') {
        const file = words.find((word) => /\.(?:ts|mjs)$/.test(word));
        if (file) expect([line, existsSync(join(root, file))]).toEqual([line, true]);
      }
    }
  });
});

describe('README.md and the pages that it leads to', () => {
  it('quotes the defaults of the settings', () => {
    const rows = tableBelow(`\n${read('docs/settings.md')}`, '# Settings');
    expect(rows.length).toBeGreaterThan(8);
    const defaults = Settings.parse({});
    expect(rows.map(([key, value]) => [key, value])).toEqual(
      rows.map(([key]) => [key, JSON.stringify(at(defaults, key!))]),
    );
  });

  it('quotes the exit codes, and names every command', () => {
    const page = `\n${read('docs/commands.md')}`;
    expect(
      commandsOf('docs/commands.md').filter((line) => line.includes('spillway.js')).length,
    ).toBeGreaterThan(5);
    const table = page.slice(page.indexOf('| exit code |'));
    const rows = [...table.slice(0, table.indexOf('\n\n')).matchAll(/^\| (\d+) \|/gm)].map(([, code]) =>
      Number(code),
    );
    expect(rows).toEqual(Object.values(EXIT));
    const named = tableBelow(page, '# Commands').map(([command]) => command!.split(' ')[0]);
    expect(named.sort()).toEqual(
      parser()
        .commands.map((command) => command.name())
        .sort(),
    );
  });

  it('quotes the gates of the stages', () => {
    const { thresholds } = Settings.parse({});
    const gates = tableBelow(readme, '## The six stages').map(([stage, gate]) => [
      /\[(\w+)\]/.exec(stage!)![1],
      Number(gate),
    ]);
    expect(gates).toEqual(
      ['snip', 'micro', 'collapse', 'auto', 'partial', 'full'].map((stage) => [
        stage,
        thresholds[`${stage}Threshold` as 'snipThreshold'],
      ]),
    );
  });

  it('lists the profiles', () => {
    const files = readdirSync(join(root, 'config', 'profiles')).map((file) => file.replace('.yaml', ''));
    const listed = tableBelow(readme, '## Profiles').map(([name]) => /\[(\w+)\]/.exec(name!)![1]);
    expect(listed.sort()).toEqual(files.sort());
  });

  it('says how small the window of the demonstration is', () => {
    const shown = DEMO_WINDOW.toLocaleString('en');
    expect([...readme.matchAll(/inside ([\d,]+) tokens/g)].map(([, tokens]) => tokens)).toEqual([
      shown,
      shown,
    ]);
  });

  it('has a program in it that runs', () => {
    const blocks = [...readme.matchAll(/^```ts\n(.*?)^```/gms)].map(([, block]) => block!);
    const program = blocks.find((block) => block.includes('session.prepare()'))!;
    const folder = mkdtempSync(join(tmpdir(), 'spillway-readme-'));
    const client = `
      const reply = { usage: { prompt_tokens: 12 }, choices: [{ message: { role: 'assistant', content: 'To the sea.' } }] };
      const client = { chat: { completions: { create: async (body: { messages: unknown[] }) => (sent.push(body.messages.length), reply) } } };
      const sent: number[] = [];`;
    const calls = `
      const history: unknown[] = [{ role: 'user', content: 'Where does the river go?' }];
      history.push(await call({ messages: history }), { role: 'user', content: 'And then?' });
      await call({ messages: history });
      console.log(sent.join(), session.log.length);`;
    const file = join(folder, 'readme.mts');
    const own = program
      .replace('const client = new OpenAI();', '')
      .replace("'spillway'", JSON.stringify(join(root, 'src', 'index.js')))
      .replace('sqlite:./spillway.db', `sqlite:${join(folder, 'spillway.db')}`);
    writeFileSync(file, `${own}\n${client}\n${calls}`);
    const ran = spawnSync(process.execPath, ['--import', 'tsx', file], { cwd: root, encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    expect([ran.stdout.trim(), ran.stderr, ran.status]).toEqual(['1,3 3', '', 0]);
  });
});
