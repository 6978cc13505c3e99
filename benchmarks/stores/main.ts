/**
 * The cost of stores. Writes: durable appends a second at 1 and 100 rows a write, by 1 and 2 processes. Turns: appends
 * and prepares of whole sessions a second, and the cost of a prepare above that in memory. Opening: a session of 50,000
 * messages. Blocks: how long each operation blocks the event loop at 200,000 tokens. Memory: bytes a message, for one
 * long session and for 200 at once; it needs no store, and runs only if it is named.
 *
 *   npm run bench:stores -- [--stores sqlite,postgres] [--only writes,turns,blocks,opening,memory] [--seconds 4] [--commits 40]
 *                           [--long 50000] [--rounds 20]
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres, type TestPostgres } from '../../test/support/postgres.js';
import { provenance, saveResult } from '../support/provenance.js';
import { round } from './figures.js';
import { blocks } from './blocks.js';
import { memory } from './memory.js';
import { opening, type Filling } from './opening.js';
import { turns } from './turns.js';
import { writes } from './writes.js';

const { values: flags } = parseArgs({
  options: {
    stores: { type: 'string', default: 'sqlite,postgres' },
    only: { type: 'string', default: 'writes,turns,blocks,opening' },
    seconds: { type: 'string', default: '4' },
    commits: { type: 'string', default: '40' },
    long: { type: 'string', default: '50000' },
    rounds: { type: 'string', default: '20' },
  },
});
const command = `npm run bench:stores -- ${process.argv.slice(2).join(' ')}`.trim();
const { date: _, machine: __, node: ___, ...from } = provenance(command);
const parts = new Set(flags.only.split(','));
const seconds = Number(flags.seconds);
const isShort = Number(flags.long) < 50_000 || Number(flags.commits) < 40;

/** Saves one part with its commit, command and load. Parts that this run does not measure keep their figures. */
function save(name: string, part: string, figures: Record<string, unknown>): string {
  const file = join('benchmarks', 'results', `${name}.json`);
  const before = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')).result as object) : {};
  const loadAverage = loadavg().map((load) => round(load, 1));
  return saveResult(name, command, { ...before, [part]: { ...from, loadAverage, ...figures } });
}

/** Drops the index over words while the store writes its rows, and makes it once all rows exist. */
function withoutIndex(server: TestPostgres, url: string): Filling {
  return {
    before: () => server.run(url, 'drop index spillway_words_gin'),
    after: () =>
      server.run(
        url,
        "set maintenance_work_mem = '512MB'; create index spillway_words_gin on spillway_words using gin (words); analyze",
      ),
  };
}

if (parts.has('memory')) {
  const figures = await memory();
  console.log('memory', JSON.stringify(figures, undefined, 1));
  console.log(`written to ${save('stores-memory', 'held', figures)}`);
}

for (const kind of flags.stores.split(',').filter(Boolean)) {
  const folder = mkdtempSync(join(tmpdir(), 'spillway-bench-'));
  const server = kind === 'postgres' ? await startPostgres({ durable: true }) : undefined;
  const url = async (name: string): Promise<string> => server?.create() ?? `sqlite:${join(folder, name)}`;
  const add = (part: string, figures: Record<string, unknown>): void => {
    console.log(kind, part, JSON.stringify(figures, undefined, 1));
    console.log(`written to ${save(`stores-${kind}${isShort ? '-short' : ''}`, part, figures)}`);
  };
  try {
    if (parts.has('writes')) add('writes', await writes(await url('writes.db'), seconds));
    if (parts.has('turns')) add('turns', await turns(await url('turns.db'), seconds, Number(flags.commits)));
    if (parts.has('blocks')) add('blocks', await blocks(await url('blocks.db')));
    if (parts.has('opening')) {
      const at = await url('long.db');
      const figures = await opening(
        at,
        Number(flags.long),
        Number(flags.rounds),
        server && withoutIndex(server, at),
      );
      add('opening', {
        ...figures,
        ...(!server && { fileBytes: statSync(join(folder, 'long.db')).size }),
      });
    }
  } finally {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
