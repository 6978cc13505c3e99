import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { BUILT_IN_STAGES } from '../../../src/stages/index.js';
import { fixturesOf, runFixture } from './fixtures.js';

const STAGES_FOLDER = new URL('../../../src/stages/', import.meta.url);
/** e.g. `fixtures/a-file.yaml`: 521 tokens before, 179 after */
const EXAMPLE = /`fixtures\/([\w-]+\.yaml)`: ([\d,]+) tokens before, ([\d,]+) after/g;

describe.each(BUILT_IN_STAGES.map((stage) => [stage.name, stage] as const))('README of %s', (name, stage) => {
  const readme = readFileSync(new URL(`${name}/README.md`, STAGES_FOLDER), 'utf8');

  it('lists every option with its default and what it means, and no other', () => {
    const rows = [...readme.matchAll(/^\| `([\w.]+)`\s*\| (.*?) \| (.*?) \|$/gm)].map(([, ...cells]) =>
      cells.map((cell) => cell!.trim()),
    );
    const defaults = stage.options.parse({});
    const options = optionsOf(z.toJSONSchema(stage.options, { io: 'input' }) as unknown as Schema);
    expect(rows).toEqual(options.map(([key, means]) => [key, shownDefault(defaults, key), means]));
  });

  it('tells true figures in its example', () => {
    const examples = [...readme.matchAll(EXAMPLE)];
    expect(examples.length).toBeGreaterThan(0);
    let sent = '';
    for (const [, file, before, after] of examples) {
      const { fixture } = fixturesOf(name).find((candidate) => candidate.file === file)!;
      const run = runFixture(name, fixture);
      expect([run.before, run.after]).toEqual(
        [before, after].map((figure) => Number(figure!.replaceAll(',', ''))),
      );
      sent += run.chat.map((message) => (message as { content: string }).content).join('\n');
    }
    for (const [, block] of readme.matchAll(/^```\n(.*?)\n```$/gms)) {
      for (const line of block!.split('\n')) expect(sent).toContain(line);
    }
  });

  it('says what it is for and what it can lose', () => {
    for (const title of ['## When', '## Options', '## Example', '## What it can lose'])
      expect(readme).toContain(title);
  });
});

interface Schema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** Path and description of each option. */
function optionsOf(schema: Schema, prefix = ''): [string, string | undefined][] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, inner]) =>
    inner.properties ? optionsOf(inner, `${prefix}${key}.`) : [[prefix + key, inner.description]],
  );
}

function shownDefault(defaults: unknown, key: string): string {
  const value = key
    .split('.')
    .reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], defaults);
  return value === undefined ? 'none' : `\`${JSON.stringify(value)}\``;
}
