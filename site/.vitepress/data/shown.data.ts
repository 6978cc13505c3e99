// What the first page's components show, taken in when the site is built.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../repository.js';
import { readBench, type Bench } from './bench.js';
import type { ReplayedGates } from './shapes.js';

interface Shown {
  readonly gates: ReplayedGates;
  readonly bench: Bench;
}

declare const data: Shown;
export { data };

export default {
  load: (): Shown => ({
    gates: JSON.parse(
      readFileSync(join(root, 'site', '.vitepress', 'generated', 'gates.json'), 'utf8'),
    ) as ReplayedGates,
    bench: readBench(),
  }),
};
