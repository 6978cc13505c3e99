// Prints a version's entry of CHANGELOG.md: `node scripts/release-notes.mjs 1.2.3 [CHANGELOG.md]`. Needs no packages.
import { readFileSync } from 'node:fs';

const [version = '', file = 'CHANGELOG.md'] = process.argv.slice(2);
const sections = readFileSync(file, 'utf8').split(/^(?=## )/m);
const section = sections.find((one) => one.startsWith(`## [${version}]`));
const notes = section?.split('\n').slice(1).join('\n').trim();
if (notes) console.log(notes);
else {
  console.error(`${file} says nothing of ${version}.`);
  process.exitCode = 1;
}
