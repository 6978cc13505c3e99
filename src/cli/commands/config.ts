import { printConfig } from '../../config/index.js';
import { createSpillway } from '../../index.js';
import { EXIT } from '../exit.js';
import type { Terminal } from '../terminal.js';

export interface ConfigOptions {
  readonly profile?: string;
  readonly config?: string;
  readonly json?: boolean;
}

export async function printSettings(options: ConfigOptions, terminal: Terminal): Promise<number> {
  const spillway = await createSpillway({
    store: null,
    env: terminal.env,
    ...(options.profile !== undefined && { profile: options.profile }),
    ...(options.config !== undefined && { configFile: options.config }),
  });
  terminal.out(printConfig(spillway.config, { json: options.json ?? false }));
  return EXIT.done;
}
