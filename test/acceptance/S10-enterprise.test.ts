import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { linkPackages, runOwnTests } from '../support/packages.js';
import { temporaryFolder } from './support.js';

const folder = temporaryFolder();

it('S10: the example of an enterprise module passes its own tests', async () => {
  const to = join(folder.path, 'context-policy');
  cpSync(join('examples', 'enterprise'), to, { recursive: true });
  linkPackages(to, ['zod', 'inversify', 'reflect-metadata']);
  const { code, out } = await runOwnTests(to, 'test/policy.ts');
  expect(out).toMatch(/^# fail 0$/m);
  expect(out).toMatch(/^# pass 5$/m);
  expect(code).toBe(0);
});
