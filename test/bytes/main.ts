/**
 * Is every request still the same bytes? Hashes what six formats write of generated histories, of committed ones, and
 * of the recorded sessions beside the repository, where there are any, and compares with `hashes.json`.
 *
 *   npm run check:bytes -- [--write] [--committed] [--only NAME] [--dump DIR]
 *
 * `--write` takes what is found for right; `--dump` writes the requests themselves, to compare two folders.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { committedCases, corpusCases, type Case } from './cases.js';
import { differencesOf, readHashes, writeHashes, type Difference } from './hashes.js';
import { requestsOf, type Hashes } from './requests.js';

const { values: flags } = parseArgs({
  options: {
    write: { type: 'boolean', default: false },
    committed: { type: 'boolean', default: false },
    only: { type: 'string' },
    dump: { type: 'string' },
  },
});

const known = flags.write ? tolerant(readHashes) : readHashes();
const hashed: Record<string, Hashes> = {};
const found: Difference[] = [];

async function* cases(): AsyncGenerator<Case> {
  const isWanted = ({ name }: Case): boolean => flags.only === undefined || name.includes(flags.only);
  for (const one of await committedCases()) if (isWanted(one)) yield one;
  if (!flags.committed) for await (const one of corpusCases()) if (isWanted(one)) yield one;
}

for await (const one of cases()) {
  const { hashes, found: differences } = differencesOf(one, known);
  hashed[one.name] = hashes;
  found.push(...differences);
  if (flags.dump !== undefined) dump(one, flags.dump);
}

for (const { name, where, what } of found.slice(0, 40)) console.log(`${name}: ${where}: ${what} differ`);
console.log(`${Object.keys(hashed).length} histories in six formats: ${found.length} differences`);
if (flags.write) writeHashes({ ...known, ...hashed });
else if (found.length > 0) process.exitCode = 1;

function dump(one: Case, folder: string): void {
  mkdirSync(folder, { recursive: true });
  const byFormat = new Map<string, string[]>();
  for (const { format, ...request } of requestsOf(one)) {
    const lines = byFormat.get(format) ?? [];
    byFormat.set(format, lines);
    lines.push(JSON.stringify(request, undefined, 1));
  }
  for (const [format, lines] of byFormat)
    writeFileSync(join(folder, `${one.name}, ${format}.json`.replaceAll('/', '_')), lines.join('\n'));
}

function tolerant(read: () => ReturnType<typeof readHashes>): ReturnType<typeof readHashes> {
  try {
    return read();
  } catch {
    return {};
  }
}
