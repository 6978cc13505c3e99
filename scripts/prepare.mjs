// Makes the checkout ready to run: dependencies as locked, the command line and the page built. Plain Node, no packages.
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { install, isInstalled, root } from './install.mjs';

const NODE = 20;
const BUILDING = ['scripts', 'package.json', 'package-lock.json'];
export const CLI = join(root, 'dist', 'cli', 'spillway.js');
/** The built files, each with the build's option and the sources that it is made from. */
const PARTS = [
  { option: '--cli', built: CLI, sources: ['src', 'config', ...BUILDING] },
  { option: '--page', built: join(root, 'dist', 'page', 'index.html'), sources: ['page', ...BUILDING] },
];

/** Runs the steps that are still missing. Returns a sentence about the first failure, or undefined. */
export function prepare() {
  if (Number.parseInt(process.versions.node, 10) < NODE) {
    return `Spillway needs Node.js ${NODE} or newer; this is ${process.versions.node}.`;
  }
  if (!isInstalled()) {
    console.error('Installing dependencies (once, about half a minute) ...');
    if (install() !== 0) return 'The dependencies could not be installed; npm says why above.';
  }
  const stale = PARTS.filter(isStale).map(({ option }) => option);
  if (stale.length > 0) {
    console.error('Building ...');
    const bundle = spawnSync(process.execPath, [join(root, 'scripts', 'build.mjs'), ...stale], {
      stdio: 'inherit',
    });
    if (bundle.status !== 0) return 'The build failed; the reason is above.';
  }
  return undefined;
}

function isStale({ built, sources }) {
  const since = statSync(built, { throwIfNoEntry: false })?.mtimeMs;
  return since === undefined || sources.some((path) => newest(join(root, path)) > since);
}

/** The last change of a file, or of anything in a folder. A folder's own time changes when a file in it is deleted. */
function newest(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return 0;
  if (!stat.isDirectory()) return stat.mtimeMs;
  return readdirSync(path).reduce((latest, name) => Math.max(latest, newest(join(path, name))), stat.mtimeMs);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const fault = prepare();
  if (fault) {
    console.error(fault);
    process.exitCode = 1;
  }
}
