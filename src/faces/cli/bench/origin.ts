import { spawnSync } from 'node:child_process';
import { cpus } from 'node:os';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '../../../package-folder.js';

export type Origin = ReturnType<typeof originOf>;

/** What a figure must carry to be believed. */
export function originOf() {
  const folder = packageFolder();
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
  const commit = commitOf(folder);
  const processors = cpus();
  return {
    spillway: version,
    /** Of a checkout, `-dirty` where something in it is changed; absent where the package is installed. */
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
  // What a bench has written itself changes nothing that is measured.
  const described = spawnSync('git', ['describe', '--always', '--dirty', '--exclude', '*'], {
    cwd: folder,
    encoding: 'utf8',
  });
  return described.status === 0 ? described.stdout.trim() : undefined;
}
