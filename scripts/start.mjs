// `npm start`: from a clean clone to the demonstration. Plain Node, no packages.
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { install, isInstalled, root } from './install.mjs';

const NODE = 20;
const CLI = join(root, 'dist', 'cli', 'spillway.js');
const SOURCES = ['src', 'config', 'scripts', 'package.json'];

process.exitCode = start();

function start() {
  if (Number.parseInt(process.versions.node, 10) < NODE) {
    return fail(`Spillway needs Node.js ${NODE} or newer; this is ${process.versions.node}.`);
  }
  if (!isInstalled()) {
    console.log('Installing dependencies (once, about half a minute) ...');
    if (install() !== 0) return fail('Dependencies could not be installed; npm says why above.');
  }
  if (isStale()) {
    console.log('Building ...');
    const bundle = spawnSync(process.execPath, [join(root, 'scripts', 'bundle.mjs')], { stdio: 'inherit' });
    if (bundle.status !== 0) return fail('The build failed; the reason stands above.');
  }
  const args = process.argv.slice(2);
  const cli = spawnSync(process.execPath, [CLI, ...(args.length > 0 ? args : ['demo'])], { stdio: 'inherit' });
  return cli.status ?? 1;
}

function isStale() {
  const built = changedAt(CLI);
  return built === 0 || SOURCES.some((path) => newest(join(root, path)) > built);
}

/** The last change in a file, or in anything below a folder. */
function newest(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return 0;
  if (!stat.isDirectory()) return stat.mtimeMs;
  return readdirSync(path).reduce((latest, name) => Math.max(latest, newest(join(path, name))), stat.mtimeMs);
}

function changedAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function fail(message) {
  console.error(message);
  return 1;
}
