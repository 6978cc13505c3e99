/**
 * Does every request still have the same bytes? Hashes the requests that six formats write of generated and committed
 * histories, and of the recorded sessions next to the repository, if any, and compares them with `hashes.json`; then
 * the compacted requests of whole sessions under each profile, and compares them with `compacted.json`.
 *
 *   npm run check:bytes -- [--write] [--committed] [--only NAME] [--dump DIR]
 *
 * `--write` accepts the present hashes; `--dump` writes the requests themselves, to compare two folders.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { committedCases, corpusCases, type Case } from './cases.js';
import {
  committedReplays,
  hashOfReplay,
  nameOf,
  readReplays,
  recordedReplays,
  requestsOfReplay,
  writeReplays,
  type Replay,
} from './compacted.js';
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
const knownReplays = flags.write ? tolerant(readReplays) : readReplays();
const hashed: Record<string, Hashes> = {};
const replayed: Record<string, string> = {};
const changed: string[] = [];
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
  for (const replay of replaysOf(one)) await compare(replay);
}

for (const { name, where, what } of found.slice(0, 40)) console.log(`${name}: ${where}: ${what} differ`);
console.log(`${Object.keys(hashed).length} histories in six formats: ${found.length} differences`);
for (const name of changed) console.log(`${name}: compacted requests differ`);
console.log(`${Object.keys(replayed).length} replays: ${changed.length} differ`);
if (flags.write) {
  writeHashes({ ...known, ...hashed });
  writeReplays({ ...knownReplays, ...replayed });
} else if (found.length + changed.length > 0) process.exitCode = 1;

function replaysOf(one: Case): Replay[] {
  if (one.name.endsWith('.jsonl')) return recordedReplays(one);
  return one.name === 'pressure-gauge' ? committedReplays([one]) : [];
}

async function compare(replay: Replay): Promise<void> {
  const name = nameOf(replay);
  replayed[name] = await hashOfReplay(replay);
  if (replayed[name] !== knownReplays[name]) changed.push(name);
  if (flags.dump === undefined) return;
  const requests = await requestsOfReplay(replay);
  writeFileSync(join(flags.dump, `${name}.json`), JSON.stringify(requests, undefined, 1));
}

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

function tolerant<T>(read: () => Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  try {
    return read();
  } catch {
    return {};
  }
}
