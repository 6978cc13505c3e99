// Builds dist: the library, its declarations, the command line and the page. `--cli`, `--page`: those alone, in a few seconds.
import { rmSync } from 'node:fs';
import { copyCharts } from './build/charts.mjs';
import { buildCli } from './build/cli.mjs';
import { buildLibrary } from './build/library.mjs';
import { writeLicenses } from './build/licenses.mjs';
import { dist } from './build/options.mjs';
import { buildPage } from './build/page.mjs';
import { writeTypes } from './build/types.mjs';
import { writeVocabularies } from './build/vocabulary.mjs';

const alone = ['--cli', '--page'].filter((part) => process.argv.includes(part));
if (alone.includes('--cli')) {
  await writeVocabularies();
  copyCharts();
  await buildCli();
}
if (alone.includes('--page')) await buildPage();
if (alone.length === 0) {
  rmSync(dist, { recursive: true, force: true });
  writeTypes();
  await writeVocabularies();
  copyCharts();
  writeLicenses([await buildLibrary(), await buildCli(), await buildPage()]);
}
