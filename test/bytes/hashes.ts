import { readFileSync, writeFileSync } from 'node:fs';
import { formats } from '../../src/formats/index.js';
import type { Case } from './cases.js';
import { hashesOf, type Hashes } from './requests.js';

const FILE = new URL('hashes.json', import.meta.url);

/** Hashes by the name of a history. */
export type Known = Readonly<Record<string, Hashes>>;

/** A history that is now read or written differently. */
export interface Difference {
  readonly name: string;
  /** `log`, or the format whose requests differ. */
  readonly where: string;
  readonly what: 'new' | 'log' | 'requests' | 'notices';
}

export function readHashes(): Known {
  return JSON.parse(readFileSync(FILE, 'utf8')) as Known;
}

/** Writes one line for each history, so that a change shows which history differs. */
export function writeHashes(known: Known): void {
  const lines = Object.entries(known).map(
    ([name, hashes]) => `  ${JSON.stringify(name)}: ${JSON.stringify(hashes)}`,
  );
  writeFileSync(FILE, `{\n${lines.join(',\n')}\n}\n`);
}

export function differencesOf(
  one: Case,
  known: Known,
): { readonly hashes: Hashes; readonly found: Difference[] } {
  const hashes = hashesOf(one);
  const before = known[one.name];
  const { name } = one;
  if (!before) return { hashes, found: [{ name, where: 'log', what: 'new' }] };
  const found: Difference[] = hashes.log === before.log ? [] : [{ name, where: 'log', what: 'log' }];
  for (const where of formats.keys()) {
    const [bytes, notices] = hashes[where]!.split(' ');
    const [bytesBefore, noticesBefore] = before[where]?.split(' ') ?? [];
    if (bytes !== bytesBefore) found.push({ name, where, what: 'requests' });
    if (notices !== noticesBefore) found.push({ name, where, what: 'notices' });
  }
  return { hashes, found };
}
