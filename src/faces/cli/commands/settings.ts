import { printConfig } from '../../../config/index.js';
import { sourcesOf, withEngine, type EngineOptions } from '../open.js';
import { percent, plainTable } from '../report/numbers.js';
import { EXIT, type Terminal } from '../terminal.js';

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

/** Lists the roster in order, then the available stages that are off. */
export async function stages(options: ConfigOptions, terminal: Terminal): Promise<number> {
  const listed = await withEngine(sourcesOf(options, terminal, null), (spillway) => spillway.stages);
  if (options.json) {
    terminal.out(`${JSON.stringify(listed)}\n`);
    return EXIT.done;
  }
  const rows = listed.map(({ name, opensAt, summary }) => [
    name,
    opensAt === undefined ? 'off' : percent(opensAt),
    summary,
  ]);
  terminal.out(`${plainTable(['stage', 'opens at', 'what it does'], rows, [0, 1, 2])}\n\n`);
  for (const { name, options: values } of listed) {
    for (const [key, value] of Object.entries((values as Record<string, unknown>) ?? {}))
      terminal.out(`stages.${name}.${key} = ${JSON.stringify(value)}\n`);
  }
  return EXIT.done;
}
