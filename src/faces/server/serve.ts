import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject, validatorCompiler } from 'fastify-type-provider-zod';
import swagger from '@fastify/swagger';
import { SpillwayError, checkVersion, orMissing } from '../../errors/index.js';
import type { Session } from '../../session/index.js';
import type { Environment } from '../../config/index.js';
import { jsonText } from '../../formats/index.js';
import type { ServiceSources } from './engine.js';
import { Health } from './health.js';
import { Service } from './service.js';
import { Access, isLoopback } from './access.js';
import { registerApi } from './api/index.js';
import { answerFaults, faultBody } from './faults.js';
import { guard } from './guard.js';
import { Metrics } from './metrics.js';
import { named } from './named.js';
import { registerPage } from './page.js';
import { registerProxy } from './proxy/index.js';
import { logEvents, logRequests } from './request-log.js';

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
    const letGo = silentOf(app.server);
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
        letGo();
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

/**
 * Lets go of connections that have asked nothing, and of each other one behind its last answer: Node takes the ones for busy and
 * keeps the others, and clients and balancers keep some ready.
 */
function silentOf(server: Server): () => void {
  const silent = new Set<Socket>();
  let isOver = false;
  server.on('connection', (socket) => {
    silent.add(socket);
    socket.once('close', () => silent.delete(socket));
  });
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    silent.delete(socket);
    response.once('finish', () => isOver && socket.destroySoon());
  });
  return () => {
    isOver = true;
    server.on('connection', (socket) => socket.destroy());
    for (const socket of silent) socket.destroy();
  };
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

/** Where log lines go: one JSON object a line. */
interface LogSink {
  write(line: string): void;
}

/** How often the server looks for clients that take too long, at most. */
const LOOK_MS = 30_000;

/** Who looks for what happened at 03:12 counts no milliseconds. */
const byTheClock = (): string => `,"time":"${new Date().toISOString()}"`;

/** All of the service on one HTTP server, not yet listening. Rejects with `CONFIG_INVALID`. */
async function createApp(
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
    logger: log ? { level: 'info', base: null, timestamp: byTheClock, stream: log } : false,
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
    // Of addresses that no route is looked for by.
    frameworkErrors: ({ statusCode = 400, message }, _, reply) =>
      void (reply as FastifyReply).code(statusCode).send(faultBody(`HTTP_${statusCode}`, message)),
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
