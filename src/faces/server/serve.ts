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
import { withName } from './plugin-name.js';
import { registerPage } from './page.js';
import { registerProxy } from './proxy/index.js';
import { logEvents, logRequests } from './request-log.js';

export interface ServeOptions extends ServiceSources {
  /** Receives log lines. Absent: nothing is logged. */
  readonly log?: LogSink;
}

/** A service that listens. */
export interface Running {
  /** e.g. `http://127.0.0.1:8787` */
  readonly url: string;
  /** A session of the format `openai-chat`, made if there is none, for a host that feeds it in this process. */
  session(name: string): Promise<Session>;
  /**
   * Reports the stop on `/ready` (for `server.drainMs`, if a system asks there); then accepts no new requests, finishes
   * the running ones, and closes the store.
   */
  close(): Promise<void>;
}

/**
 * Connections that may wait to be accepted. When a thousand agents connected at once, half of them met Node's default
 * of 511 and tried again after one, two, four seconds, up to a minute.
 */
const BACKLOG = 4_096;

/** Time for running requests to finish after the service is told to stop. */
const STOP_LIMIT_MS = 30_000;

/**
 * Opens the service at the address in the settings (`server.host`, `server.port`). Rejects with `CONFIG_INVALID`, also
 * for an address that other machines reach if there is no token.
 */
export async function serve({ log, ...sources }: ServeOptions = {}): Promise<Running> {
  const service = await Service.open(sources);
  try {
    await service.warmUp();
    const health = new Health(service);
    const app = await createApp(service, health, sources.env ?? {}, log);
    const { host, port } = service.settings.server;
    const closeIdle = idleCloser(app.server);
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
        const forceClose = setTimeout(() => app.server.closeAllConnections(), STOP_LIMIT_MS);
        closeIdle();
        await app.close();
        clearTimeout(forceClose);
        await service.close();
      },
    };
  } catch (error) {
    await service.close();
    throw error;
  }
}

/**
 * Returns a function that closes connections without a request, and every other connection after its current answer.
 * Node treats the former as busy and keeps the latter open, and clients and load balancers keep spare connections.
 */
function idleCloser(server: Server): () => void {
  const idle = new Set<Socket>();
  let isOver = false;
  server.on('connection', (socket) => {
    idle.add(socket);
    socket.once('close', () => idle.delete(socket));
  });
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    idle.delete(socket);
    response.once('finish', () => isOver && socket.destroySoon());
  });
  return () => {
    isOver = true;
    server.on('connection', (socket) => socket.destroy());
    for (const socket of idle) socket.destroy();
  };
}

/** The reason why an address cannot be used, as a fault of a setting. */
function listenFault(error: unknown, host: string, port: number): unknown {
  const found = { EADDRINUSE: 'taken', EACCES: 'not allowed', EADDRNOTAVAIL: 'no address of this machine' }[
    String((error as NodeJS.ErrnoException).code)
  ];
  if (found === undefined) return error;
  return new SpillwayError('CONFIG_INVALID', {
    subject: 'address to listen on (server.host, server.port)',
    found: `${host}:${port}, ${found}`,
    remedy: 'Stop the program that listens there, or use another port: --port 0 takes any free one.',
    cause: error,
  });
}

/** Receives log lines: one JSON object per line. */
interface LogSink {
  write(line: string): void;
}

/** Longest interval between two checks for clients that are too slow. */
const CHECK_INTERVAL_MS = 30_000;

/** Log lines have a readable time of day instead of milliseconds since the epoch. */
const logTime = (): string => `,"time":"${new Date().toISOString()}"`;

/** The whole service on one HTTP server that does not listen yet. Rejects with `CONFIG_INVALID`. */
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
    logger: log ? { level: 'info', base: null, timestamp: logTime, stream: log } : false,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: settings.bodyBytes,
    requestTimeout: settings.requestMs,
    http: {
      headersTimeout: Math.min(60_000, settings.requestMs),
      connectionsCheckingInterval: Math.min(CHECK_INTERVAL_MS, settings.requestMs),
    },
    forceCloseConnections: 'idle',
    genReqId: () => randomUUID(),
    routerOptions: { maxParamLength: 1_024 },
    // Faults of addresses that reach no route handler.
    frameworkErrors: ({ statusCode = 400, message }, _, reply) =>
      void (reply as FastifyReply).code(statusCode).send(faultBody(`HTTP_${statusCode}`, message)),
  });
  app.setValidatorCompiler(validatorCompiler);
  // Answers are made by this service, so their schemas document them and are not checked on each answer.
  app.setSerializerCompiler(() => (said) => jsonText(said));
  answerFaults(app);
  const metrics = new Metrics(service);
  logRequests(app, metrics.recordRequest);
  logEvents(app, service);
  await guard(app, access, settings);
  metrics.register(app);
  await registerOpenApi(app);
  health.register(app);
  registerPage(app);
  const api = withName('api', (scope: FastifyInstance) => registerApi(scope, service));
  await app.register(api, { prefix: '/api/v1' });
  await app.register(
    withName('proxy', async (scope: FastifyInstance) => registerProxy(scope, service, access, metrics)),
  );
  return app;
}

/** Throws `CONFIG_INVALID` if anyone on the network could call the service. */
function checkAddress(host: string, { isOpen }: Access): void {
  if (!isOpen || isLoopback(host)) return;
  throw new SpillwayError('CONFIG_INVALID', {
    subject: 'server.host',
    found: `${host}, and no tokens`,
    allowed: 'a loopback address, or any with server.tokens',
    remedy: 'Set a token for each user, or listen on 127.0.0.1.',
  });
}

/** Describes every route at `/api/v1/openapi.json`, from the schemas that check its requests. */
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
