import { randomUUID } from 'node:crypto';
import Fastify, { LogController, type FastifyInstance } from 'fastify';
import { validatorCompiler } from 'fastify-type-provider-zod';
import { Access, isLoopback } from './access.js';
import { registerApi } from './api/index.js';
import type { Environment } from '../config/index.js';
import { SpillwayError } from '../errors/index.js';
import { answerFaults } from './faults.js';
import { guard } from './guard.js';
import { Health } from './health.js';
import { Metrics } from './metrics.js';
import { named } from './named.js';
import { registerOpenApi } from './openapi.js';
import { registerPage } from './page.js';
import { registerProxy } from './proxy/index.js';
import { jsonText } from '../wire/index.js';
import type { Service } from './service.js';

/** Where log lines go: one JSON object a line. */
export interface LogSink {
  write(line: string): void;
}

/** How often the server looks for clients that take too long, at most. */
const LOOK_MS = 30_000;

/** All of the service on one HTTP server, not yet listening. Rejects with `CONFIG_INVALID`. */
export async function createApp(service: Service, env: Environment, log?: LogSink): Promise<FastifyInstance> {
  const settings = service.settings.server;
  const access = new Access(settings.tokens, env);
  checkAddress(settings.host, access);
  const app = Fastify({
    logger: log ? { level: 'info', base: null, stream: log } : false,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: settings.bodyBytes,
    requestTimeout: settings.requestMs,
    http: {
      headersTimeout: Math.min(60_000, settings.requestMs),
      connectionsCheckingInterval: Math.min(LOOK_MS, settings.requestMs),
    },
    forceCloseConnections: 'idle',
    genReqId: () => randomUUID(),
    routerOptions: { maxParamLength: 1_024 },
  });
  app.setValidatorCompiler(validatorCompiler);
  // What is said was made here: its schema describes it and need not be asked again each time.
  app.setSerializerCompiler(() => (said) => jsonText(said));
  answerFaults(app);
  logRequests(app);
  await guard(app, access, settings);
  const metrics = new Metrics(service);
  metrics.register(app);
  await registerOpenApi(app);
  new Health(service).register(app);
  registerPage(app);
  const api = named('api', (scope: FastifyInstance) => registerApi(scope, service));
  await app.register(api, { prefix: '/api/v1' });
  await app.register(
    named('proxy', async (scope: FastifyInstance) => registerProxy(scope, service, access, metrics)),
  );
  return app;
}

/** Throws `CONFIG_INVALID` where anybody on the network could come in. */
function checkAddress(host: string, { isOpen }: Access): void {
  if (!isOpen || isLoopback(host)) return;
  throw new SpillwayError('CONFIG_INVALID', {
    subject: 'server.host',
    found: `${host}, and no tokens`,
    allowed: 'a loopback address, or any with server.tokens',
    remedy: 'Set a token for each who may come in, or listen on 127.0.0.1.',
  });
}

/** One line a request: no address of its own, which may hold anybody's words, no headers and no bodies. */
function logRequests(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    const from = performance.now();
    reply.raw.once('close', () => {
      const { method, routeOptions, caller } = request;
      const ms = Math.round(performance.now() - from);
      const ended = reply.raw.writableFinished ? {} : { aborted: true };
      const route = routeOptions.url ?? 'none';
      request.log.info(
        { method, route, status: reply.statusCode, ms, caller: caller?.name, ...ended },
        'request',
      );
    });
    done();
  });
}
