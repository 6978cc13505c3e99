import { constants, copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SpillwayError } from '../../errors/index.js';
import { packageFolder } from '../../package-folder.js';
import { makeFolder, PROMPT_FILES, writePrompts } from '../../summarizers/index.js';
import { EXIT } from '../exit.js';
import type { Terminal } from '../terminal.js';

const CONFIG = 'spillway.yaml';

/** Writes configuration and prompts for an operator to own: what is missing, and never over a file that is there. */
export async function init(folder: string, terminal: Terminal): Promise<number> {
  const ours = join(packageFolder(), 'config');
  const prompts = join(folder, 'prompts');
  const all = [join(folder, CONFIG), ...PROMPT_FILES.map((name) => join(prompts, `${name}.md`))];
  try {
    makeFolder(folder);
    const written = new Set([
      ...(await writeConfig(join(ours, 'init.yaml'), all[0]!)),
      ...(await writePrompts(join(ours, 'prompts'), prompts)),
    ]);
    for (const file of all) terminal.out(`${written.has(file) ? 'written' : 'kept   '} ${file}\n`);
  } catch (cause) {
    throw new SpillwayError('OUTPUT_UNWRITABLE', {
      subject: folder,
      found: (cause as Error).message,
      remedy: 'Name a folder that can be written to; files that were there are as they were.',
      cause,
    });
  }
  terminal.note(`spillway config print --config ${all[0]} shows what is in force.`);
  return EXIT.done;
}

async function writeConfig(from: string, to: string): Promise<string[]> {
  try {
    await copyFile(from, to, constants.COPYFILE_EXCL);
    return [to];
  } catch (error) {
    if ((error as { code?: unknown }).code === 'EEXIST') return [];
    throw error;
  }
}
