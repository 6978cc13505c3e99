import { printConfig } from '../../config/index.js';
import { sourcesOf, withEngine, type EngineOptions } from '../engine.js';
import { EXIT } from '../exit.js';
import type { Terminal } from '../terminal.js';

export interface ConfigOptions extends EngineOptions {
  readonly json?: boolean;
  readonly changed?: boolean;
}

export async function printSettings(options: ConfigOptions, terminal: Terminal): Promise<number> {
  return withEngine(sourcesOf(options, terminal, null), ({ config }) => {
    terminal.out(printConfig(config, { json: options.json ?? false, changed: options.changed ?? false }));
    return EXIT.done;
  });
}
