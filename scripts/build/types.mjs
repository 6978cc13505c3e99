// Declarations of the entry points and of the types that they name; no user needs any others.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, rmdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { doors } from './library.mjs';
import { dist, root } from './options.mjs';

const SPECIFIER = /(?:\bfrom|\bimport)\s*\(?\s*["'](\.[^"']*)["']/g;

export function writeTypes() {
  const tsc = join(root, 'node_modules', 'typescript-7', 'bin', 'tsc');
  const { status } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('The declarations could not be written.');
  const reached = new Set();
  for (const door of doors) reach(join(dist, relative('src', door).replace(/\.ts$/, '.d.ts')), reached);
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isFile() && file.endsWith('.d.ts') && !reached.has(file)) rmSync(file);
  }
  removeEmpty(dist);
}

function reach(file, reached) {
  if (reached.has(file)) return;
  reached.add(file);
  for (const [, path] of readFileSync(file, 'utf8').matchAll(SPECIFIER)) {
    reach(join(dirname(file), path.replace(/\.js$/, '.d.ts')), reached);
  }
}

function removeEmpty(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) removeEmpty(join(folder, entry.name));
  }
  if (readdirSync(folder).length === 0) rmdirSync(folder);
}
