import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject, validatorCompiler } from 'fastify-type-provider-zod';
import { Access, isLoopback } from './access.js';
import { registerApi } from './api/index.js';
import type { Environment } from '../../config/index.js';
import { checkVersion, orMissing, SpillwayError } from '../../errors/index.js';
import { answerFaults } from './faults.js';
import { guard } from './guard.js';
import type { Health } from './health.js';
import { Metrics } from './metrics.js';
import { named } from './named.js';
import { registerPage } from './page.js';
import { registerProxy } from './proxy/index.js';
import { logEvents, logRequests } from './request-log.js';
import { jsonText } from '../../formats/index.js';
import type { Service } from './service.js';
import swagger from '@fastify/swagger';

/** Where log lines go: one JSON object a line. */
export interface LogSink {
  write(line: string): void;
}

/** How often the server looks for clients that take too long, at most. */
const LOOK_MS = 30_000;

/** All of the service on one HTTP server, not yet listening. Rejects with `CONFIG_INVALID`. */
export async function createApp(
  service: Service,
  health: Health,
  env: Environment,
  log?: LogSink,
): Promise<FastifyInstance> {
  const settings = service.settings.server;
  const access = new Access(settings.tokens, env);
  checkAddress(settings.host, access);
  checkVersion('fastify', 'spillway/server');
  const { default: Fastify, LogController } = await import('fastify').catch(orMissing('spillway/server'));
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
  const metrics = new Metrics(service);
  logRequests(app, metrics.hear);
  logEvents(app, service);
  await guard(app, access, settings);
  metrics.register(app);
  await registerOpenApi(app);
  health.register(app);
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

/** Describes every route from the schemas that it is checked with: `/api/v1/openapi.json`. */
async function registerOpenApi(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Spillway',
        description: 'Sessions, compactions, plans and settings of a Spillway service.',
        version: '1',
      },
      components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
      security: [{ token: [] }],
    },
    transform: jsonSchemaTransform,
    transformObject: jsonSchemaTransformObject,
  });
  app.get('/api/v1/openapi.json', { schema: { hide: true } }, () => app.swagger());
}
