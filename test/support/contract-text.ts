import { CONTRACTS } from '../../src/testkit/index.js';

/** CONTRACT.md: every rule of every contract, as the kit has them. */
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
  '# What stages, plugins, formats, summarizers and stores are held to',
  '',
  'Printed from the rules in `src/testkit/` by `npm run contract`; a test holds the two equal. Ours and yours are judged alike:',
  '',
  '```sh',
  'spillway conform ./my-stage.js',
  '```',
  '',
  'The module is loaded and each export that is one of the five is put to the rules of its contract; the folder of a plugin',
  'is judged with its manifest and all that it brings. A rule that does not hold says what was seen, with the number of the',
  'generated history, so that it can be looked at again; one that met nothing it speaks of is not exercised, and says what it',
  'looked for. The exit code is 0 where all hold, 1 where one does not; `--json` writes it for programs. From a test runner of',
  'your own:',
  '',
  '```js',
  "import { judge, STAGE_RULES } from 'spillway/testkit';",
  '',
  'const verdicts = await judge({ stage }, STAGE_RULES); // [{ id, intent, holds, seen? }]',
  '// Likewise { format }, FORMAT_RULES; { folder } or { name, plugin }, PLUGIN_RULES; summarizer, SUMMARIZER_RULES.',
  '```',
  '',
  'A module may export `conform`: `options` (more options to try, by the name of the stage), `knobs` (those to try in place of',
  "a plugin's defaults, by its name), `validators` (the provider's rules for a format that has none here, by its name),",
  '`reopens: false` (a store that ends with its process). What is waived so is listed as waived, with the reason.',
  '[How plugins are written](plugins.md).',
];
