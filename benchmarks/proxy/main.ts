// npm run bench:proxy: the time that the proxy adds to a call of a 100k-token session, relative to a forwarding proxy.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '../../src/faces/server/index.js';
import { plainProxy } from '../support/plain-proxy.js';

const CALLS = Number(process.argv[2] ?? 100);
const TOKENS = 100_000;

/** A model that reads the request and answers immediately. */
const upstream = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    const message = { role: 'assistant', content: 'Go on.' };
    const usage = { prompt_tokens: TOKENS, completion_tokens: 3, total_tokens: TOKENS + 3 };
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        id: 'c',
        object: 'chat.completion',
        model: 'm',
        choices: [{ index: 0, message, finish_reason: 'stop' }],
        usage,
      }),
    );
  });
});
await new Promise<void>((ready) => upstream.listen(0, '127.0.0.1', ready));
const upstreamUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/v1`;

const plain = await plainProxy(upstreamUrl);
const plainUrl = plain.url;
const own = await serve({
  settings: {
    window: 200_000,
    server: { port: 0, requestsPerMinute: 0, upstreams: { openai: upstreamUrl } },
  },
});

const words = 'the river runs past an old mill and over a low wall where boats wait for rain ';
const messages: object[] = [{ role: 'user', content: 'Build the mill.' }];
for (let i = 0; JSON.stringify(messages).length < TOKENS * 4; i++) {
  const id = `call_${i}`;
  messages.push(
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id, type: 'function', function: { name: 'read', arguments: `{"path":"src/${i}.ts"}` } }],
    },
    { role: 'tool', tool_call_id: id, content: `${i} ${words.repeat(20)}` },
  );
}
async function call(url: string): Promise<number> {
  const body = JSON.stringify({ model: 'm', messages });
  const from = performance.now();
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  await answer.text();
  return performance.now() - from;
}
const times: Record<'plain' | 'spillway', number[]> = { plain: [], spillway: [] };
for (let i = -5; i < CALLS; i++) {
  messages.push(
    { role: 'assistant', content: `Step ${i} done.` },
    { role: 'user', content: `Go on with step ${i}.` },
  );
  const [a, b] = [await call(plainUrl), await call(own.url)];
  if (i < 0) continue;
  times.plain.push(a);
  times.spillway.push(b);
}
const at = (values: number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))]!;
for (const share of [0.5, 0.99]) {
  const [a, b] = [at(times.plain, share), at(times.spillway, share)];
  console.log(
    `p${share * 100}: plain ${a.toFixed(1)} ms, spillway ${b.toFixed(1)} ms, ratio ${(b / a).toFixed(2)}`,
  );
}
await own.close();
await plain.close();
upstream.closeAllConnections();
upstream.close();
