import { SpillwayError } from '../../errors/index.js';
import type * as Server from '../../server/index.js';
import { EXIT } from '../exit.js';
import type { Terminal } from '../terminal.js';

export interface ServeCommand {
  readonly host?: string;
  readonly port?: number;
  readonly store?: string;
  readonly model?: string;
  readonly window?: number;
  readonly profile?: string;
  readonly config?: string;
  readonly openai?: string;
  readonly anthropic?: string;
  readonly recall?: number;
  readonly commands?: boolean;
  readonly quiet?: boolean;
}

/** Runs the service until the process is told to stop. */
export async function serve(options: ServeCommand, terminal: Terminal): Promise<number> {
  const running = await (await server()).serve(serveOptions(options, terminal));
  terminal.note(
    `The Compactor page: ${running.url}. The API is described at ${running.url}/api/v1/openapi.json.`,
  );
  await stopped();
  terminal.note('Stopping: what is under way is ended first.');
  await running.close();
  return EXIT.done;
}

/** What the command line says, over files and environment. */
export function serveOptions(options: ServeCommand, terminal: Terminal): Server.ServeOptions {
  const { host, port, recall, commands, openai, anthropic, model, window } = options;
  const upstreams = {
    ...(openai !== undefined && { openai }),
    ...(anthropic !== undefined && { anthropic }),
  };
  const own = {
    ...(host !== undefined && { host }),
    ...(port !== undefined && { port }),
    ...(recall !== undefined && { recall }),
    ...(commands === true && { commands }),
    ...(Object.keys(upstreams).length > 0 && { upstreams }),
  };
  return {
    env: terminal.env,
    ...(options.profile !== undefined && { profile: options.profile }),
    ...(options.config !== undefined && { configFile: options.config }),
    ...(options.store !== undefined && { store: options.store }),
    ...(options.quiet !== true && { log: { write: (line: string) => terminal.err(line) } }),
    settings: {
      ...(model !== undefined && { model }),
      ...(window !== undefined && { window, reserve: { output: 0 } }),
      ...(Object.keys(own).length > 0 && { server: own }),
    },
  };
}

/** The code of the service, and fastify with it. Rejects with `PACKAGE_MISSING`. */
export async function server(): Promise<typeof Server> {
  try {
    return await import('../../server/index.js');
  } catch (cause) {
    const { code, message } = cause as { readonly code?: unknown; readonly message?: unknown };
    const isMissing = code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
    if (!isMissing || !String(message).includes("'fastify'")) throw cause;
    throw new SpillwayError('PACKAGE_MISSING', {
      subject: 'spillway serve',
      found: 'no package fastify',
      remedy: 'Install it where spillway is installed: npm install fastify@5.',
      cause,
    });
  }
}

/** Resolves when the process is told to stop, by a person or by what runs it. */
export function stopped(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
}
