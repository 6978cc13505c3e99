import type * as Server from '../../server/index.js';
import { present } from '../../operations/index.js';
import type { EngineOptions } from '../open.js';
import { EXIT, type Terminal } from '../terminal.js';

export interface ServeCommand extends EngineOptions {
  readonly host?: string;
  readonly port?: number;
  readonly store?: string;
  readonly openai?: string;
  readonly anthropic?: string;
  readonly recall?: number;
  readonly commands?: boolean;
  readonly quiet?: boolean;
}

/** Runs the service until the process is told to stop. */
export async function serve(options: ServeCommand, terminal: Terminal): Promise<number> {
  const running = await (await loadServer()).serve(serveOptions(options, terminal));
  const stop = untilStopped();
  // Lines for people go to stdout, because stderr may be read as a log.
  terminal.out(
    `The Compactor page: ${running.url}. The API is described at ${running.url}/api/v1/openapi.json.\n`,
  );
  await stop;
  terminal.out('Stopping: what is under way is ended first.\n');
  await running.close();
  return EXIT.done;
}

/** The options of the command line, which win over files and environment. */
export function serveOptions(options: ServeCommand, terminal: Terminal): Server.ServeOptions {
  const { host, port, recall, commands, openai, anthropic, model, window } = options;
  const upstreams = present({ openai, anthropic });
  const own = {
    ...present({ host, port, recall }),
    ...(commands === true && { commands }),
    ...(Object.keys(upstreams).length > 0 && { upstreams }),
  };
  return {
    env: terminal.env,
    ...present({ profile: options.profile, configFile: options.config, store: options.store }),
    ...(options.quiet !== true && { log: { write: (line: string) => terminal.err(line) } }),
    settings: {
      ...present({ model }),
      ...(window !== undefined && { window, reserve: { output: 0 } }),
      ...(Object.keys(own).length > 0 && { server: own }),
    },
  };
}

/** The code of the service, which few other commands need. */
export const loadServer = (): Promise<typeof Server> => import('../../server/index.js');

/** Resolves when a person or a process manager stops the process. */
export function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
    // A terminal that closes may say so more than once.
    process.on('SIGHUP', () => resolve());
  });
}
