/**
 * The cost of hostile text: every pattern of the source, and whole sessions, with text of n, 2n and 4n characters.
 *
 *   npm run bench:patterns -- [--chars 20000] [--session-chars 50000] [--only patterns,sessions]
 *
 * Exits with 1 if any time grows faster than its text and is not waived in `test/unit/house/patterns.json`.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createContext, Script } from 'node:vm';
import { nameOf, patternsOfSource, type Pattern } from '../../test/support/patterns.js';
import { provenance, saveResult } from '../support/provenance.js';
import { isSuperLinear, row, type Growth } from './growth.js';
import { PUMPS, pumpsOf, type Pump } from './pumps.js';
import { sessionGrowths } from './sessions.js';

const { values: flags } = parseArgs({
  options: {
    chars: { type: 'string', default: '20000' },
    'session-chars': { type: 'string', default: '50000' },
    only: { type: 'string', default: 'patterns,sessions' },
  },
});
const NAME_CHARS = 120;
/** The longest time that a pattern may take before it is given up. */
const GIVE_UP_MS = 5_000;
const from = provenance(
  `npm run bench:patterns -- --chars ${flags.chars} --session-chars ${flags['session-chars']}`,
);

const table = JSON.parse(
  readFileSync(new URL('../../test/unit/house/patterns.json', import.meta.url), 'utf8'),
) as { readonly waived: Readonly<Record<string, string>> };

/** A sticky pattern is matched at one place, any other at each. */
const everywhere = new Script('text.replace(pattern, "")');
const here = new Script('pattern.lastIndex = 0; pattern.test(text)');

/** The growth with the pump that takes longest at the shortest length. */
function growthOf(pattern: Pattern, chars: number): Growth {
  const isSticky = pattern.flags.includes('y');
  const flagsOf = isSticky ? pattern.flags : `${pattern.flags.replace('g', '')}g`;
  const context = createContext({ text: '', pattern: new RegExp(pattern.source, flagsOf) });
  const script = isSticky ? here : everywhere;
  const time = (pump: Pump, n: number): number => {
    context.text = pump(n);
    const began = performance.now();
    try {
      script.runInContext(context, { timeout: GIVE_UP_MS });
    } catch {
      return Infinity;
    }
    return performance.now() - began;
  };
  let worst: Pump | undefined;
  let worstMs = -1;
  for (const pump of [...Object.values(PUMPS), ...pumpsOf(pattern.source)]) {
    const ms = time(pump, chars);
    if (ms > worstMs) [worst, worstMs] = [pump, ms];
  }
  const ms = [1, 2, 4].map((times) => time(worst!, times * chars));
  return { what: `${pattern.at}  ${nameOf(pattern).slice(0, NAME_CHARS)}`, ms };
}

const parts = new Set(flags.only.split(','));
const ofPatterns = parts.has('patterns')
  ? patternsOfSource().map((pattern) => growthOf(pattern, Number(flags.chars)))
  : [];
/** The growth of a waived pattern is only printed. */
const isWaived = ({ what }: Growth): boolean =>
  Object.keys(table.waived).some((name) => what.endsWith(`  ${name.slice(0, NAME_CHARS)}`));
const ofSessions = parts.has('sessions') ? await sessionGrowths(Number(flags['session-chars'])) : [];
const slowest = (rows: readonly Growth[]): Growth[] =>
  [...rows].sort((a, b) => b.ms.at(-1)! - a.ms.at(-1)!).slice(0, 10);
const superLinear = [...ofPatterns, ...ofSessions].filter(isSuperLinear);
const faults = superLinear.filter((growth) => !isWaived(growth));

const lines = [
  `${ofPatterns.length} patterns at ${flags.chars} characters, twice and four times as many; the slowest, in ms:`,
  ...slowest(ofPatterns).map(row),
  `${ofSessions.length} sessions at ${flags['session-chars']}, twice and four times as many; the slowest, in ms:`,
  ...slowest(ofSessions).map(row),
  'waived:',
  ...Object.entries(table.waived).map(([name, reason]) => `  ${reason}  ${name.slice(0, 100)}`),
  'waived, and growing faster than their text:',
  ...superLinear.filter(isWaived).map(row),
  `growing faster than their text: ${faults.length}`,
  ...faults.map(row),
];
process.stdout.write(`${lines.join('\n')}\n`);
const result = { patterns: slowest(ofPatterns), sessions: slowest(ofSessions), faults };
saveResult('patterns', from.command, { tried: [ofPatterns.length, ofSessions.length], ...result }, from);
if (faults.length > 0) process.exitCode = 1;
