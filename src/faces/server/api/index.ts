import type { FastifyInstance } from 'fastify';
import { withName } from '../plugin-name.js';
import * as verbs from '../../operations/index.js';
import type { Service } from '../service.js';
import { compactionRoutes } from './compactions.js';
import { eventRoutes } from './events.js';
import { knobRoutes } from './knobs.js';
import { planRoutes } from './plans.js';
import { projectRoutes } from './project.js';
import { routesOf } from './route.js';
import { sessionRoutes } from './sessions.js';
import { isFields, type Fields } from '../../../formats/index.js';
import { parseJson } from '../../../transcript/index.js';

/** Routes that explain messages, list calls, read back original words, and report costs. */
function askingRoutes(app: FastifyInstance, service: Service): void {
  const { verbRoute } = routesOf(app, service, 'asking');
  verbRoute('GET /sessions/:id/explain', verbs.explain);
  verbRoute('GET /sessions/:id/find', verbs.find);
  verbRoute('GET /sessions/:id/calls', verbs.calls);
  verbRoute('POST /sessions/:id/recall', verbs.recall, 'viewer');
  verbRoute('POST /sessions/:id/give-back', verbs.giveBack);
  verbRoute('GET /sessions/:id/give-back', verbs.givenBack);
  verbRoute('GET /sessions/:id/audit', verbs.audit);
  verbRoute('GET /sessions/:id/costs', verbs.costs);
}

const ROUTES = [
  sessionRoutes,
  compactionRoutes,
  planRoutes,
  askingRoutes,
  knobRoutes,
  projectRoutes,
  eventRoutes,
];

/** The HTTP API: every action of the page, and the library's actions that make sense outside of a program. */
export async function registerApi(app: FastifyInstance, service: Service): Promise<void> {
  readBodies(app);
  // A missing body counts as an empty object.
  app.addHook('preValidation', (request, _, done) => {
    request.body ??= {};
    done();
  });
  for (const routes of ROUTES)
    await app.register(withName(routes.name, async (scope: FastifyInstance) => routes(scope, service)));
}

/** Reads JSON bodies like Fastify, except that a model request in a body keeps its numbers as written. */
function readBodies(app: FastifyInstance): void {
  const usual = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    // Some clients send the content type of a body without a body.
    if (text === '') return done(null);
    // The type also allows a promise; this parser uses the callback.
    void usual(request, text as string, (error, body) => {
      if (!error && isFields(body) && Object.hasOwn(body, 'request'))
        Object.assign(body, { request: (parseJson(text as string) as Fields).request });
      done(error, body);
    });
  });
}
