/**
 * How many of the facts that an agent needed again were in the request that its model would have received?
 *
 *   npm run bench:retention -- [--sessions DIR] [--windows 8000,16000,32000] [--policies spillway,keep-newest]
 *       [--only ID] [--profile NAME] [--quick] [--peers DIR] [--misses FILE]
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { provenance, saveResult } from '../support/provenance.js';
import { CORPUS } from '../support/sessions.js';
import { compare } from './compare.js';
import { missesOf } from './misses.js';
import { choosePolicies } from './policies/index.js';
import { probedSessions, type ProbedSession } from './probes.js';
import { report } from './report.js';
import { printDetails, printTable } from './table.js';

const { values: flags } = parseArgs({
  options: {
    sessions: { type: 'string', default: CORPUS },
    windows: { type: 'string' },
    policies: { type: 'string' },
    only: { type: 'string' },
    profile: { type: 'string' },
    quick: { type: 'boolean', default: false },
    peers: { type: 'string' },
    misses: { type: 'string' },
  },
});

const windows = (flags.windows ?? (flags.quick ? '8000,32000' : '8000,16000,32000')).split(',').map(Number);
const draws = flags.quick ? 200 : 2_000;
const strengths = new Set(flags.quick ? ['strong'] : ['strong', 'medium', 'weak', 'locomo']);
const command = `npm run bench:retention -- ${process.argv.slice(2).join(' ')}`.trim();
const loaded = provenance(command);
const { policies, notes } = await choosePolicies(flags);
for (const note of notes) console.log(note);

const sessions: ProbedSession[] = [];
for await (const session of probedSessions(flags.sessions, flags.only)) sessions.push(session);

const results: Record<string, unknown> = {};
const misses: unknown[] = [];
for (const window of windows) {
  const outcomes = await compare(policies, sessions, window, strengths);
  const rows = report(outcomes, draws);
  results[window] = rows;
  printTable(window, rows);
  printDetails(rows);
  const ours = outcomes.find(({ policy }) => policy === 'spillway');
  misses.push(...missesOf(window, ours));
}
if (flags.misses) {
  writeFileSync(flags.misses, misses.map((miss) => `${JSON.stringify(miss)}\n`).join(''));
  console.log(`${misses.length} probes not anchored: ${flags.misses}`);
}
const short = flags.quick || flags.only !== undefined || flags.policies !== undefined || windows.length < 3;
const file = saveResult(short ? 'retention-short' : 'retention', command, results, loaded);
console.log(`written to ${file}`);
