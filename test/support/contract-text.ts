import { CONTRACTS } from '../../src/testkit/index.js';

/** CONTRACT.md: every rule of every contract, from the kit. */
export function contractText(): string {
  const sections = CONTRACTS.flatMap(({ kind, about, rules }) => [
    '',
    `## ${kind[0]!.toUpperCase()}${kind.slice(1)}s`,
    '',
    about,
    '',
    '| rule | what must hold |',
    '|---|---|',
    ...rules.map(({ id, intent }) => `| ${id} | ${intent.replaceAll('|', '\\|')} |`),
  ]);
  return `${[...OPENING, ...sections].join('\n')}\n`;
}

const OPENING = [
  '# The contracts of stages, plugins, formats, summarizers and stores',
  '',
  '`npm run contract` prints this page from the rules in `src/testkit/`, and a test keeps the two equal. The same rules judge the parts of',
  'Spillway and yours:',
  '',
  '```sh',
  'spillway conform ./my-stage.js',
  '```',
  '',
  'The command loads the module and tests each stage, plugin, format, summarizer or store that it exports by the rules of its contract.',
  'The folder of a plugin is judged with its manifest and everything that it adds. If a rule does not hold, the report says what was seen,',
  'with the number of the generated history, so that you can look at it again. If nothing occurred that a rule is about, the rule is listed',
  'as not exercised, with what it looked for. The exit code is 0 if all rules hold, and 1 otherwise. `--json` writes the report for',
  'programs. From a test runner of your own:',
  '',
  '```js',
  "import { judge, STAGE_RULES } from 'spillway/testkit';",
  '',
  'const verdicts = await judge({ stage }, STAGE_RULES); // [{ id, intent, holds, seen? }]',
  '// Likewise { format }, FORMAT_RULES; { folder } or { name, plugin }, PLUGIN_RULES; summarizer, SUMMARIZER_RULES.',
  '```',
  '',
  'A module may export `conform`, an object with these fields:',
  '',
  '- `options`: more options to try, by the name of the stage',
  "- `knobs`: knobs to try in place of a plugin's defaults, by its name",
  "- `validators`: the provider's rules for a format that has no validator here, by its name",
  '- `reopens: false`: for a store that ends with its process',
  '',
  'The report lists what a module waives in this way, with the reason. [How plugins are written](plugins.md).',
];
