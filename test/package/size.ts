import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Packed } from './project.js';

/** The most bytes of the unpacked package, and of an install without optional packages. */
const MOST = { unpacked: 8e6, installed: 30e6 };

/** Checks the size of the package on a disk. */
export function checkSize({ folder, unpacked }: Packed): string[] {
  const node_modules = join(folder, 'bare', 'node_modules');
  const installed = readdirSync(node_modules, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + lstatSync(join(parentPath, name)).size, 0);
  const found = { unpacked, installed };
  return (['unpacked', 'installed'] as const)
    .filter((what) => found[what] > MOST[what])
    .map((what) => `${what}: ${found[what]} bytes, where ${MOST[what]} are the most`);
}
