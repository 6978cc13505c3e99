import pc from 'picocolors';
import { DEMO_WINDOW } from '../../../../src/faces/cli/commands/demo.js';
import { main } from '../../../../src/faces/cli/main.js';
import type { Terminal } from '../../../../src/faces/cli/terminal.js';

it(`at ${DEMO_WINDOW} tokens the stages of the roster get to work, and every call fits`, async () => {
  let err = '';
  const terminal: Terminal = {
    out: () => expect(true).toBe(false),
    err: (text) => void (err += text),
    note: (line) => void (err += `${line}\n`),
    interactive: false,
    paint: pc.createColors(false),
    env: {},
  };
  expect(await main(['node', 'spillway', 'demo'], terminal)).toBe(0);
  // What `auto` frees leaves nothing to `partial`; its gate is listed all the same.
  expect(err).toMatch(/^gates: .* partial 95 % /m);
  for (const stage of ['snip', 'micro', 'collapse', 'auto', 'full'])
    expect(err).toMatch(new RegExp(`^message .* ${stage} [-+]\\d`, 'm'));
  // Each compaction says where pressure stood, where it stands, and what each stage freed.
  expect(err).toMatch(/^message +\d+ +\d+\.\d % -> +\d+\.\d % +snip -[\d,]+/m);
  expect(err).toMatch(/49 calls, \d+ compactions .*; every call fit/);
}, 30_000);
