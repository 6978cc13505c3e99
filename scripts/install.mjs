// Installs the dependencies when they are missing or are not what package-lock.json names. Plain Node, no packages.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

const readJson = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));

/**
 * Compares the installed packages with the lock, one by one: file times mean nothing after a checkout, and a needless
 * `npm ci` costs half a minute. Optional packages (binaries of other platforms) may be absent.
 */
export function isInstalled() {
  try {
    const wanted = readJson('package-lock.json').packages;
    const found = readJson('node_modules/.package-lock.json').packages;
    const { dependencies = {}, devDependencies = {} } = readJson('package.json');
    const locked = { ...wanted[''].dependencies, ...wanted[''].devDependencies };
    const declared = { ...dependencies, ...devDependencies };
    return (
      Object.entries(declared).every(([name, range]) => locked[name] === range) &&
      Object.entries(wanted).every(
        ([path, entry]) => path === '' || entry.optional || found[path]?.version === entry.version,
      ) &&
      Object.keys(declared).every((name) => existsSync(join(root, 'node_modules', name, 'package.json')))
    );
  } catch {
    return false;
  }
}

/** Returns npm's exit status; npm's own output is shown only when it fails. */
export function install() {
  const command = existsSync(join(root, 'package-lock.json')) ? 'ci' : 'install';
  const npm = spawnSync('npm', [command, '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    encoding: 'utf8',
    shell: process.platform === 'win32',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (npm.status !== 0) console.error(`${npm.stdout ?? ''}${npm.stderr ?? npm.error?.message ?? ''}`.trim());
  return npm.status ?? 1;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href && !isInstalled()) {
  console.error('Installing dependencies ...');
  process.exitCode = install();
}
