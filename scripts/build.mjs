// Builds dist: the library, its declarations and the command line. `--cli`: the command line alone, in a few seconds.
import { rmSync } from 'node:fs';
import { copyCharts } from './build/charts.mjs';
import { buildCli } from './build/cli.mjs';
import { buildLibrary } from './build/library.mjs';
import { writeLicenses } from './build/licenses.mjs';
import { dist } from './build/options.mjs';
import { writeTypes } from './build/types.mjs';
import { writeVocabularies } from './build/vocabulary.mjs';

if (process.argv.includes('--cli')) {
  await writeVocabularies();
  copyCharts();
  await buildCli();
} else {
  rmSync(dist, { recursive: true, force: true });
  writeTypes();
  await writeVocabularies();
  copyCharts();
  writeLicenses([await buildLibrary(), await buildCli()]);
}
