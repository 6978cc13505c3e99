import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { contractText } from '../../support/contract-text.js';

const FILE = join('docs', 'CONTRACT.md');

// `npm run contract` writes the file anew after a change of the rules.
it('N1: docs/CONTRACT.md is what the rules print', () => {
  const text = contractText();
  if (process.env['SPILLWAY_TEST_WRITE']) writeFileSync(FILE, text);
  expect(readFileSync(FILE, 'utf8')).toBe(text);
});
