// Builds dist: the library with the command line, their declarations, and the page. `--cli` leaves out declarations;
// `--page` builds only the page. Each takes a few seconds.
import { rmSync } from 'node:fs';
import { buildLibrary } from './build/library.mjs';
import { writeLicenses } from './build/licenses.mjs';
import { dist } from './build/options.mjs';
import { buildPage } from './build/page.mjs';
import { buildBrowser } from './build/platform.mjs';
import { writeTypes } from './build/types.mjs';
import { writeVocabularies } from './build/vocabulary.mjs';

const alone = ['--cli', '--page'].filter((part) => process.argv.includes(part));
if (alone.includes('--cli')) {
  await writeVocabularies();
  await buildLibrary();
  await buildBrowser();
}
if (alone.includes('--page')) await buildPage();
if (alone.length === 0) {
  rmSync(dist, { recursive: true, force: true });
  writeTypes();
  await writeVocabularies();
  writeLicenses([await buildLibrary(), await buildBrowser(), await buildPage()]);
}
