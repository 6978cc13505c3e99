#!/usr/bin/env node
'use strict';
// Becomes dist/cli/spillway.js. Starts the bundle beside it from V8's compiled form, where the build left one for this
// very Node; anywhere else, and where V8 refuses it (other flags), the bundle is compiled as usual.
const { readFileSync } = require('node:fs');
const { createRequire, wrap } = require('node:module');
const { join } = require('node:path');
const vm = require('node:vm');

// A young generation that stays small: the peak of a large file falls by a fifth, and it takes no longer.
require('node:v8').setFlagsFromString('--semi-space-growth-factor=1');

const NODE = 20;
if (Number.parseInt(process.versions.node, 10) < NODE) {
  console.error(`Spillway needs Node.js ${NODE} or newer; this is ${process.versions.node}.`);
  process.exit(1);
}

const file = join(__dirname, 'bundle.cjs');
// With `script` below, what scripts/build/code-cache.cjs needs to write the compiled form.
exports.cachePath = join(__dirname, `bundle.${process.version}-${process.platform}-${process.arch}.cache`);
// Lets the bundle `import()` plugin packages. Node before 20.12 has no such constant.
const importModuleDynamically = vm.constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER;

const cachedData = read(exports.cachePath);
const isWarmUp = process[Symbol.for('spillway.warm-up')] === true;

if (importModuleDynamically !== undefined && (cachedData !== undefined || isWarmUp)) run();
else {
  // A package brings no compiled form. Node 22 and later keep one of their own in the temporary folder.
  require('node:module').enableCompileCache?.();
  require(file);
}

function run() {
  const source = wrap(readFileSync(file, 'latin1'));
  const script = new vm.Script(source, { filename: file, cachedData, importModuleDynamically });
  exports.script = script;
  const bundle = { exports: {} };
  script.runInThisContext()(bundle.exports, createRequire(file), bundle, file, __dirname);
}

function read(path) {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
