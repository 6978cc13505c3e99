import type { FastifyInstance } from 'fastify';
import { named } from '../named.js';
import type { Service } from '../service.js';
import { askingRoutes } from './asking.js';
import { readBodies } from './bodies.js';
import { claimRoutes } from './claims.js';
import { compactionRoutes } from './compactions.js';
import { effectRoutes } from './effects.js';
import { eventRoutes } from './events.js';
import { knobRoutes } from './knobs.js';
import { logRoutes } from './log.js';
import { planRoutes } from './plans.js';
import { projectRoutes } from './project.js';
import { sessionRoutes } from './sessions.js';

const ROUTES = [
  sessionRoutes,
  logRoutes,
  compactionRoutes,
  planRoutes,
  askingRoutes,
  claimRoutes,
  knobRoutes,
  projectRoutes,
  effectRoutes,
  eventRoutes,
];

/** The HTTP API: every action of the page, and of the library as far as others than programs want it. */
export async function registerApi(app: FastifyInstance, service: Service): Promise<void> {
  readBodies(app);
  for (const routes of ROUTES)
    await app.register(named(routes.name, async (scope: FastifyInstance) => routes(scope, service)));
}
