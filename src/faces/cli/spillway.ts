#!/usr/bin/env node
import { main } from './main.js';

process.exitCode = await main(process.argv);
// Timers that a plugin left, or a hook that hangs, must not keep a process that is done. What was written goes out first.
setTimeout(() => process.stdout.write('', () => process.exit()), 1_000).unref();
