// Fills the test column of docs/features.md from the titles in test/acceptance; the other columns are written by hand.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const page = join(root, 'docs', 'features.md');
const acceptance = join(root, 'test', 'acceptance');
const TITLE = /(?:\b(?:describe|it|test)(?:\.\w+)*|\))\(\s*['"`]([A-Z]+-?\d+)\b/g;

/** Feature id -> files below test/acceptance with a test whose title starts with it. */
const tests = new Map();
for (const name of readdirSync(acceptance, { recursive: true }).sort()) {
  if (!name.endsWith('.test.ts')) continue;
  for (const [, id] of readFileSync(join(acceptance, name), 'utf8').matchAll(TITLE)) {
    tests.set(id, (tests.get(id) ?? new Set()).add(`\`${name.replaceAll('\\', '/')}\``));
  }
}

const text = readFileSync(page, 'utf8').replace(
  /^\| ([A-Z]+-?\d+) \|([^|]*)\|([^|]*)\|[^|]*\|$/gm,
  (_row, id, behaviour, where) =>
    `| ${id} |${behaviour}|${where}| ${[...(tests.get(id) ?? ['–'])].join(' ')} |`,
);
writeFileSync(page, text);
const listed = new Set([...text.matchAll(/^\| ([A-Z]+-?\d+) \|/gm)].map(([, id]) => id));
const unlisted = [...tests.keys()].filter((id) => !listed.has(id));
if (unlisted.length > 0) {
  console.error(`docs/features.md has no row for ${unlisted.join(', ')}; add it.`);
  process.exitCode = 1;
}
