import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

/** Memory of the service in bytes: after a garbage collection, and the peak so far. */
export interface Held {
  readonly heapUsed: number;
  readonly rss: number;
  readonly maxRss: number;
}

export interface ServiceProcess {
  readonly url: string;
  held(): Promise<Held>;
  end(): Promise<void>;
}

export async function startService(
  store: string,
  upstream: string,
  sessions: number,
  window = 16_000,
): Promise<ServiceProcess> {
  const child: ChildProcess = fork(
    fileURLToPath(new URL('service.ts', import.meta.url)),
    [store, upstream, String(sessions), String(window)],
    {
      execArgv: [
        '--import',
        'tsx',
        '--expose-gc',
        ...(process.env['SPILLWAY_CPU_PROF'] ? ['--cpu-prof'] : []),
      ],
    },
  );
  const [{ url }] = (await once(child, 'message')) as [{ url: string }];
  return {
    url,
    async held() {
      child.send('held');
      const [held] = (await once(child, 'message')) as [Held];
      return held;
    },
    async end() {
      child.send('end');
      await once(child, 'exit');
    },
  };
}

/** A model that reads the request, and reports its size. */
export async function startUpstream(delayMs = 0): Promise<{ readonly url: string; close(): void }> {
  const server = createServer((request, response) => {
    let bytes = 0;
    request.on('data', (piece: Buffer) => (bytes += piece.length));
    request.on('end', () => {
      const message = { role: 'assistant', content: 'Go on.' };
      const tokens = Math.ceil(bytes / 4);
      const usage = { prompt_tokens: tokens, completion_tokens: 3, total_tokens: tokens + 3 };
      response.setHeader('content-type', 'application/json');
      const choices = [{ index: 0, message, finish_reason: 'stop' }];
      const said = JSON.stringify({ id: 'c', object: 'chat.completion', model: 'm', choices, usage });
      setTimeout(() => response.end(said), delayMs);
    });
  });
  await new Promise<void>((ready) => server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 }, ready));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
