import { join } from 'node:path';
import { SKELETON_KINDS } from '../../src/faces/cli/commands/new.js';
import { run, type Packed } from './project.js';

/** Runs the tests of the packages that the installed `spillway new` writes, with the installed packages. */
export async function checkSkeletons({ folder }: Packed): Promise<string[]> {
  const project = join(folder, 'bare');
  const bin = join('node_modules', 'spillway', 'dist', 'cli', 'spillway.js');
  return SKELETON_KINDS.flatMap((kind) => {
    const name = `own-${kind}`;
    const written = run(process.execPath, [bin, 'new', kind, name], project);
    if (written.status !== 0) return [`new ${kind}: ${written.err}`];
    const tested = run(process.execPath, ['--test'], join(project, name));
    return tested.status === 0 ? [] : [`${name} fails its own tests: ${tested.out.slice(-2_000)}`];
  });
}
