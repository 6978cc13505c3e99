import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '../../../src/config/index.js';
import type { ConfigFault, EffectiveConfig, LoadOptions } from '../../../src/config/index.js';
import { SpillwayError } from '../../../src/errors/index.js';
import { BUILT_IN_STAGES } from '../../../src/stages/index.js';

/** The options schemas of the built-in stages. */
export const stageOptions = Object.fromEntries(BUILT_IN_STAGES.map(({ name, options }) => [name, options]));

export const configDir = fileURLToPath(new URL('../../../config', import.meta.url));

/** Loads with the shipped files, an empty environment and the built-in stages. */
export function load(options: Partial<LoadOptions> = {}): Promise<EffectiveConfig> {
  return loadConfig({ env: {}, stageOptions, configDir, ...options });
}

/** The error a load ends with; fails where it ends without one. */
export async function failure(options: Partial<LoadOptions>): Promise<SpillwayError> {
  const error = await load(options).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof SpillwayError)) throw new Error(`expected a SpillwayError, got ${String(error)}`);
  return error;
}

/** The faults of a load that ends in CONFIG_INVALID. */
export async function faults(options: Partial<LoadOptions>): Promise<readonly ConfigFault[]> {
  const error = await failure(options);
  if (error.code !== 'CONFIG_INVALID') throw error;
  return error.faults as readonly ConfigFault[];
}

export async function subjects(options: Partial<LoadOptions>): Promise<string[]> {
  return (await faults(options)).map(({ subject }) => subject).sort();
}

/** Files in a folder of their own, gone when `use` is done. */
export async function withFiles<T>(
  files: Record<string, string>,
  use: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'spillway-config-'));
  try {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text);
    }
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
