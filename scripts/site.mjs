// Builds the documentation site into site/.vitepress/dist, or serves it with live changes. First it makes the
// reference, the first page's figures and the playground's library from the sources. `--pages` keeps the existing
// reference; `--built` uses the library that is in dist.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './install.mjs';

const [command = 'build', ...rest] = process.argv.slice(2);
const hasReference = existsSync(join(root, 'site', 'reference', 'README.md'));

if (!rest.includes('--pages') || !hasReference) run('typedoc/bin/typedoc', '--logLevel', 'Warn');
if (!rest.includes('--built')) run('../scripts/build.mjs', '--cli');
run('tsx/dist/cli.mjs', 'site/.vitepress/data/gates.ts');
run('typescript-7/bin/tsc', '-p', 'site');
run('vitepress/bin/vitepress.js', command, 'site');

/** Runs a package's command and shows its output; exits with its status if it fails. */
function run(bin, ...args) {
  const { status } = spawnSync(process.execPath, [join(root, 'node_modules', bin), ...args], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
}
