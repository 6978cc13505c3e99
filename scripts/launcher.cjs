#!/usr/bin/env node
'use strict';
// Becomes dist/cli/spillway.js. Starts the bundle beside it from V8's compiled form where there is one, which saves a
// third of the start-up. V8 refuses a form that another version or other flags wrote; then it compiles as usual.
const { readFileSync } = require('node:fs');
const { createRequire, wrap } = require('node:module');
const { join } = require('node:path');
const vm = require('node:vm');

const NODE = 20;
if (Number.parseInt(process.versions.node, 10) < NODE) {
  console.error(`Spillway needs Node.js ${NODE} or newer; this is ${process.versions.node}.`);
  process.exit(1);
}

const file = join(__dirname, 'bundle.cjs');
// Lets the bundle `import()` plugin packages. Node before 20.12 has no such constant.
const importModuleDynamically = vm.constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER;

if (importModuleDynamically === undefined) require(file);
else run();

function run() {
  const cachedData = read(join(__dirname, 'bundle.cache'));
  const source = wrap(readFileSync(file, 'utf8'));
  const script = new vm.Script(source, { filename: file, cachedData, importModuleDynamically });
  exports.script = script; // scripts/code-cache.cjs takes the compiled form from here
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
