import { printConfig } from '../../config/index.js';
import { withEngine } from '../engine.js';
import { EXIT } from '../exit.js';
import type { Terminal } from '../terminal.js';

export interface ConfigOptions {
  readonly profile?: string;
  readonly config?: string;
  readonly json?: boolean;
  readonly changed?: boolean;
}

export async function printSettings(options: ConfigOptions, terminal: Terminal): Promise<number> {
  const sources = {
    store: null,
    env: terminal.env,
    ...(options.profile !== undefined && { profile: options.profile }),
    ...(options.config !== undefined && { configFile: options.config }),
  };
  return withEngine(sources, ({ config }) => {
    terminal.out(printConfig(config, { json: options.json ?? false, changed: options.changed ?? false }));
    return EXIT.done;
  });
}
