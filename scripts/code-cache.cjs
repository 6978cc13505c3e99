'use strict';
// Runs the built command line once and stores what V8 compiled on the way: `node code-cache.cjs <launcher> <arguments>`.
const { renameSync, writeFileSync } = require('node:fs');
const { dirname, join } = require('node:path');

const launcher = process.argv[2];
process.argv.splice(1, 2, launcher);
process.on('exit', () => {
  const { script } = require(launcher);
  if (script === undefined) return;
  const path = join(dirname(launcher), 'bundle.cache');
  writeFileSync(`${path}.new`, script.createCachedData());
  renameSync(`${path}.new`, path); // never half a cache, even if the build is stopped here
});
require(launcher);
