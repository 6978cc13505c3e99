#!/usr/bin/env node
// Becomes dist/cli/spillway.js. An old Node cannot parse the code that it loads, so it checks Node's version first.
import module from 'node:module';
import { setFlagsFromString } from 'node:v8';

const NODE = 20;
if (Number.parseInt(process.versions.node, 10) < NODE) {
  console.error(`Spillway needs Node.js ${NODE} or newer; this is ${process.versions.node}.`);
  process.exit(1);
}

// Keeps the young generation small: the peak memory of a large file falls by a fifth, without a loss of time.
setFlagsFromString('--semi-space-growth-factor=1');
// Node 22 and later cache V8's compiled code in the temporary folder.
module.enableCompileCache?.();
const { main } = await import('./main.js');
process.exitCode = await main(process.argv);
