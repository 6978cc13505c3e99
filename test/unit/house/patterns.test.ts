import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { check } from 'recheck';
import { analyse } from 'scslre';
import { nameOf, patternsOfSource, type Pattern } from '../../support/patterns.js';
import { read, ROOT } from './source.js';

/** What recheck says of the patterns of the source, so that each is asked once and not in every run. */
interface Verdicts {
  /** The version that was asked. */
  readonly recheck: string;
  /** Patterns that are neither linear nor harmful, each with the reason. */
  readonly waived: Readonly<Record<string, string>>;
  /** Patterns of which recheck could say nothing within its time; scslre finds nothing in them. */
  readonly undecided: readonly string[];
  /** Hashes of those that it proved, or did not manage to attack. */
  readonly safe: readonly string[];
}

const TABLE = 'test/unit/house/patterns.json';
const table = JSON.parse(read(TABLE)) as Verdicts;
const { version } = JSON.parse(read('node_modules/recheck/package.json')) as { version: string };
const writes = process.env.SPILLWAY_TEST_WRITE === '1';

const patterns = patternsOfSource();
const hashOf = (pattern: Pattern): string =>
  createHash('sha256').update(nameOf(pattern)).digest('hex').slice(0, 12);
const safe = new Set(table.safe);
const undecided = new Set(table.undecided);
const isWaived = (pattern: Pattern): boolean => Object.hasOwn(table.waived, nameOf(pattern));

/** For one pattern; a pattern that is not in the table costs this much at most, in milliseconds. */
const TIME_EACH = writes ? 4_000 : 1_000;
/** For all that are not in the table. What comes after has only been asked of scslre. */
const TIME_ALL = writes ? 3_600_000 : 20_000;

describe('a regular expression of the source', () => {
  it('has no exponential or quadratic form that scslre finds, but for those that are waived', () => {
    expect(patterns.length).toBeGreaterThan(200);
    const found = patterns.filter((pattern) => !isWaived(pattern)).flatMap(reportsOf);
    expect(found).toEqual([]);
  });

  it('is none that recheck can attack', async () => {
    const fresh = patterns.filter(
      (pattern) =>
        !isWaived(pattern) && (writes || !(safe.has(hashOf(pattern)) || undecided.has(nameOf(pattern)))),
    );
    const attacked: string[] = [];
    const said = { safe: [] as string[], undecided: [] as string[] };
    let left = TIME_ALL;
    for (const pattern of fresh) {
      if (left <= 0) break;
      const began = performance.now();
      const { source, flags } = pattern;
      const known = safe.has(hashOf(pattern)) && table.recheck === version;
      const verdict = known ? undefined : await check(source, flags, { timeout: TIME_EACH, randomSeed: 1 });
      left -= performance.now() - began;
      if (verdict?.status === 'vulnerable')
        attacked.push(
          `${pattern.at} ${nameOf(pattern)}: ${verdict.complexity.summary}, ${verdict.attack.pattern}`,
        );
      else if (verdict?.status === 'unknown') said.undecided.push(nameOf(pattern));
      else said.safe.push(hashOf(pattern));
    }
    if (writes) {
      const { waived } = table;
      const next: Verdicts = {
        recheck: version,
        waived,
        undecided: said.undecided.sort(),
        safe: said.safe.sort(),
      };
      writeFileSync(join(ROOT, TABLE), `${JSON.stringify(next, null, 2)}\n`);
    }
    expect(attacked).toEqual([]);
  }, 3_700_000);

  it('is waived for a reason only', () => {
    for (const [name, reason] of Object.entries(table.waived)) {
      expect(`${name} ${reason}`).toMatch(/.{20,}$/);
      expect(safe.has(name) || undecided.has(name)).toBe(false);
    }
  });
});

function reportsOf(pattern: Pattern): string[] {
  const { source, flags } = pattern;
  const { reports } = analyse({ source, flags }, { maxReports: 3 });
  return reports.map(
    ({ type, exponential }) =>
      `${pattern.at} ${nameOf(pattern)}: ${exponential ? 'exponential' : 'quadratic'} (${type})`,
  );
}
