// The service in a process of its own, for the load benchmarks. Reports its URL and, on request, its memory.
import { serve } from '../../src/faces/server/index.js';
import { plainProxy } from '../support/plain-proxy.js';

const [store, upstream, sessions, window] = process.argv.slice(2) as [string, string, string, string];
const open = (): ReturnType<typeof serve> =>
  serve({
    log: { write: (line) => void (/"level":[45]0/.test(line) && process.stderr.write(line)) },
    store,
    settings: {
      window: Number(window),
      reserve: { output: 0 },
      server: {
        port: 0,
        requestsPerMinute: 0,
        concurrency: 5_000,
        sessions: Number(sessions),
        upstreams: { openai: `${upstream}/v1`, anthropic: upstream },
      },
    },
  });
const running = store === 'plain' ? await plainProxy(`${upstream}/v1`) : await open();

process.on('message', (asked) => {
  if (asked === 'end') {
    void running.close().then(() => process.exit(0));
    return;
  }
  // Twice, because objects that the first collection frees may have held others.
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  process.send!({ heapUsed, rss, maxRss: process.resourceUsage().maxRSS * 1_024 });
});
process.send!({ url: running.url });
