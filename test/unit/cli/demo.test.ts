import { expect, it } from '@jest/globals';
import pc from 'picocolors';
import { DEMO_WINDOW } from '../../../src/cli/commands/demo.js';
import { main } from '../../../src/cli/main.js';
import type { Terminal } from '../../../src/cli/terminal.js';

it(`at ${DEMO_WINDOW} tokens every stage of the roster gets to work, and every call fits`, async () => {
  let err = '';
  const terminal: Terminal = {
    out: () => expect(true).toBe(false),
    err: (text) => void (err += text),
    note: (line) => void (err += `${line}\n`),
    interactive: false,
    columns: 100,
    paint: pc.createColors(false),
    env: {},
  };
  expect(await main(['node', 'spillway', 'demo'], terminal)).toBe(0);
  for (const stage of ['snip', 'micro', 'collapse', 'auto', 'partial', 'full'])
    expect(err).toMatch(new RegExp(`^${stage} +\\d\\d\\.0 % +[1-9]`, 'm'));
  expect(err).toMatch(/49 calls, \d+ compactions; every call fit/);
}, 30_000);
