import Fastify from 'fastify';
import { forward } from '../../src/faces/server/proxy/upstream.js';
import { RequestNotes } from '../../src/faces/server/request-log.js';

/** A fastify proxy that only forwards OpenAI chat requests: the baseline for Spillway's proxy. */
export async function plainProxy(
  upstream: string,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const app = Fastify({ bodyLimit: 2 ** 26 });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_, body, done) => done(null, body));
  app.get('/health', () => ({ status: 'ok' }));
  app.post('/v1/chat/completions', async (request, reply) => {
    const answer = await forward({
      method: 'POST',
      url: `${upstream}/chat/completions`,
      headers: request.headers,
      body: request.body as Buffer,
      signal: new AbortController().signal,
      notes: new RequestNotes(),
    });
    return reply
      .code(answer.status)
      .headers(answer.headers as Record<string, string>)
      .send(answer.body);
  });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  return { url, close: () => app.close() };
}
