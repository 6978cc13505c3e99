'use strict';
// Runs the built command line once and stores what V8 compiled on the way: `node code-cache.cjs <launcher> <arguments>`.
const { renameSync, writeFileSync } = require('node:fs');

const launcher = process.argv[2];
process[Symbol.for('spillway.warm-up')] = true;
process.argv.splice(1, 2, launcher);
process.on('exit', () => {
  const { cachePath, script } = require(launcher);
  if (script === undefined) return;
  writeFileSync(`${cachePath}.new`, script.createCachedData());
  renameSync(`${cachePath}.new`, cachePath); // never half a cache, even if the build is stopped here
});
require(launcher);
