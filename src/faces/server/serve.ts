import type { AddressInfo } from 'node:net';
import { createApp, type LogSink } from './app.js';
import type { ServiceSources } from './engine.js';
import { SpillwayError } from '../../errors/index.js';
import { Health } from './health.js';
import type { Session } from '../../session/index.js';
import { Service } from './service.js';

export interface ServeOptions extends ServiceSources {
  /** Where log lines go; nowhere where absent. */
  readonly log?: LogSink;
}

/** A service that listens. */
export interface Running {
  /** e.g. `http://127.0.0.1:8787` */
  readonly url: string;
  /** A session of the service, made where there is none: for who feeds it in this process. Of the format `openai-chat`. */
  session(name: string): Promise<Session>;
  /**
   * Says on `/ready` that it stops, for `server.drainMs` where somebody asks there; then takes nothing new, ends what is under
   * way, and lets go of the store.
   */
  close(): Promise<void>;
}

/**
 * Connections that may wait to be taken in. Of a thousand agents that come at once, half met Node's own 511: their systems try again
 * after one second, two, four, up to a minute.
 */
const BACKLOG = 4_096;

/** How long requests that are under way may take when the service is told to stop. */
const PATIENCE_MS = 30_000;

/**
 * Opens the service where the settings say (`server.host`, `server.port`). Rejects with `CONFIG_INVALID`, also for an address
 * that others reach and no token.
 */
export async function serve({ log, ...sources }: ServeOptions = {}): Promise<Running> {
  const service = await Service.open(sources);
  try {
    await service.warmUp();
    const health = new Health(service);
    const app = await createApp(service, health, sources.env ?? {}, log);
    const { host, port } = service.settings.server;
    await app.listen({ host, port, backlog: BACKLOG }).catch((error: unknown) => {
      throw listenFault(error, host, port);
    });
    const address = app.server.address() as AddressInfo;
    const shown = address.family === 'IPv6' ? `[${address.address}]` : address.address;
    return {
      url: `http://${shown}:${address.port}`,
      session: (name) =>
        service.sessionFor({ sessionId: name, agentPath: 'primary' }, { format: 'openai-chat' }),
      async close() {
        await health.drain();
        const hurry = setTimeout(() => app.server.closeAllConnections(), PATIENCE_MS);
        await app.close();
        clearTimeout(hurry);
        await service.close();
      },
    };
  } catch (error) {
    await service.close();
    throw error;
  }
}

/** What keeps an address from being listened on, as a setting to change. */
function listenFault(error: unknown, host: string, port: number): unknown {
  const found = { EADDRINUSE: 'taken', EACCES: 'not allowed', EADDRNOTAVAIL: 'no address of this machine' }[
    String((error as NodeJS.ErrnoException).code)
  ];
  if (found === undefined) return error;
  return new SpillwayError('CONFIG_INVALID', {
    subject: 'address to listen on (server.host, server.port)',
    found: `${host}:${port}, ${found}`,
    remedy: 'Stop what listens there, or name another: --port 0 takes any that is free.',
    cause: error,
  });
}
