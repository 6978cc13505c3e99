import { spawnSync } from 'node:child_process';
import { cpus } from 'node:os';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '../../../package-folder.js';

export type Origin = ReturnType<typeof originOf>;

/** The facts that make a figure reproducible: versions, machine, date. */
export function originOf() {
  const folder = packageFolder();
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
  const commit = commitOf(folder);
  const processors = cpus();
  return {
    spillway: version,
    /** Commit of a checkout, with `-dirty` if a file is changed; absent for an installed package. */
    ...(commit !== undefined && { commit }),
    node: process.version,
    machine: `${processors.length} x ${processors[0]?.model.trim() ?? 'unknown'}`,
    date: new Date().toISOString().slice(0, 10),
  };
}

/** `0.1.0 (7fbb84f)` */
export const versionOf = ({ spillway, commit }: Origin): string =>
  commit === undefined ? spillway : `${spillway} (${commit})`;

function commitOf(folder: string): string | undefined {
  if (!existsSync(join(folder, '.git'))) return undefined;
  // `--dirty` ignores untracked files, because files that a bench wrote do not affect measurements.
  const described = spawnSync('git', ['describe', '--always', '--dirty', '--exclude', '*'], {
    cwd: folder,
    encoding: 'utf8',
  });
  return described.status === 0 ? described.stdout.trim() : undefined;
}
