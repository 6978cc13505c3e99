// npm run check:package: packs the package, installs it into fresh projects, and uses it there as a user does: every
// entry point as ES module, by require() and in TypeScript, the README's program, the examples, the command line.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkBeside, checkBundles } from './beside.js';
import { checkBrowser } from './browser.js';
import { checkCommandLine } from './command-line.js';
import { checkDoors } from './doors.js';
import { checkExamples } from './examples.js';
import { checkLint } from './lint.js';
import { pack } from './project.js';
import { checkSize } from './size.js';
import { checkSkeletons } from './skeletons.js';
import { checkSnippets } from './snippets.js';
import { checkTypes } from './types.js';
import { checkZods } from './zods.js';

const CHECKS = {
  checkLint,
  checkDoors,
  checkSize,
  checkBundles,
  checkBrowser,
  checkBeside,
  checkCommandLine,
  checkSkeletons,
  checkZods,
  checkTypes,
  checkSnippets,
  checkExamples,
};

/** The most lines shown of one check's findings. */
const MOST = 12;

const folder = mkdtempSync(join(tmpdir(), 'spillway-package-'));
let failed = 0;
try {
  const packed = pack(folder);
  console.log(
    `packed ${packed.files.length} files, ${(packed.bytes / 1e6).toFixed(1)} MB, ${(packed.unpacked / 1e6).toFixed(1)} MB unpacked`,
  );
  // `checkDoors` makes the project that other checks copy, so it always runs.
  const wanted = process.argv.slice(2).filter((word) => !word.startsWith('-'));
  const isWanted = (name: string): boolean =>
    wanted.length === 0 ||
    name === checkDoors.name ||
    wanted.some((word) => name.toLowerCase().includes(word));
  for (const [name, check] of Object.entries(CHECKS).filter(([one]) => isWanted(one))) {
    const from = performance.now();
    const faults = await check(packed);
    const seconds = ((performance.now() - from) / 1_000).toFixed(1);
    console.log(`${faults.length === 0 ? 'ok    ' : 'failed'} ${name} ${seconds} s`);
    for (const fault of faults.slice(0, MOST)) console.log(`       ${fault}`);
    if (faults.length > MOST) console.log(`       and ${faults.length - MOST} more`);
    failed += faults.length;
  }
} finally {
  if (!process.argv.includes('--keep')) rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failed === 0 ? 0 : 1;
