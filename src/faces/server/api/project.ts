import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod/v4';
import { listProfiles, showPath } from '../../../config/index.js';
import type { Overrides } from '../engine.js';
import { costsOf, forgetLimits, learnedLimits, type LearnedLimit } from '../../../session/index.js';
import { packageFolder } from '../../../package-folder.js';
import { checkMayActForAll, maySee, type Caller } from '../access.js';
import type { Service } from '../service.js';
import { askEach, askReadable } from './session-lists.js';
import { removePath } from './knobs.js';
import { routesOf } from './route.js';
import { Costs, mayWait, nameOf, Skipped, WaitingPlan } from '../../operations/index.js';

const LimitsOf = z.looseObject({
  contextWindow: z.number().optional(),
  inputLimit: z.number().optional(),
  outputLimit: z.number().optional(),
});
const ModelParams = z.object({ name: z.string() });

/** Threads that are remembered, because pages ask for waiting plans again and again. */
const MAX_REMEMBERED = 200_000;

/** Routes across sessions: waiting plans, total costs, stages, profiles, models. */
export function projectRoutes(app: FastifyInstance, service: Service): void {
  const { route } = routesOf(app, service, 'project');

  route(
    'GET /me',
    {
      role: 'client',
      summary: 'Who asks, and what he may do.',
      answer: z.object({ name: z.string(), role: z.string(), tenant: z.string() }),
    },
    ({ caller }) => caller,
  );

  /** Threads without a waiting plan, with the number of ledger entries at which this was found. */
  const withoutPlan = new Map<string, number>();
  route(
    'GET /inbox',
    {
      summary: 'Plans that wait for a yes, of all sessions that can be read.',
      answer: z.object({ items: z.array(WaitingPlan), skipped: Skipped }),
    },
    async ({ caller }) => {
      const threads = (await service.store.threads()).filter(
        (thread) =>
          maySee(caller, thread.sessionId) &&
          (service.hasUnsaved(thread) || withoutPlan.get(nameOf(thread)) !== thread.head.entries),
      );
      const { values, skipped } = await askReadable(threads, async (thread) => {
        const { head, ...key } = thread;
        if (!service.hasUnsaved(key) && !(await mayWait(service.store, thread))) {
          if (withoutPlan.size >= MAX_REMEMBERED) withoutPlan.clear();
          withoutPlan.set(nameOf(key), head.entries);
          return [];
        }
        const { pending } = (await (await service.session(key)).load()).operator;
        return pending ? [{ sessionId: key.sessionId, agentPath: key.agentPath, ...pending }] : [];
      });
      return { items: values.flat(), skipped };
    },
  );

  route(
    'GET /costs',
    { summary: 'What all sessions spent, agent and compactor apart, as stored.', answer: Costs },
    async ({ caller }) => {
      if (caller.tenant === '') return costsOf(await service.store.usage());
      const ids = new Set((await service.store.threads()).map(({ sessionId }) => sessionId));
      const own = [...ids].filter((id) => maySee(caller, id));
      const entries = await askEach(own, (sessionId) => service.store.usage({ sessionId }));
      return costsOf(entries.flat());
    },
  );

  route(
    'GET /stages',
    {
      summary: 'The roster in order, then what is switched off.',
      answer: z.object({
        items: z.array(
          z.looseObject({ name: z.string(), opensAt: z.number().optional(), summary: z.string() }),
        ),
      }),
    },
    () => ({ items: service.spillway.stages }),
  );

  route(
    'GET /profiles',
    {
      summary: 'Profiles that a configuration may name.',
      answer: z.object({ items: z.array(z.object({ name: z.string(), description: z.string() })) }),
    },
    async () => ({ items: await listProfiles(join(packageFolder(), 'config')) }),
  );

  route(
    'GET /models/:name',
    {
      summary: 'Limits of a model, and where each is from.',
      params: ModelParams,
      answer: LimitsOf,
    },
    ({ params }) => service.limitsOf(params.name),
  );

  route(
    'GET /models',
    {
      summary: 'Limits that the settings state, by model, and those that refusals taught.',
      answer: z.object({
        overrides: z.record(z.string(), LimitsOf),
        learned: z.array(z.looseObject({ model: z.string() })),
      }),
    },
    async ({ caller }) => ({
      overrides: service.settings.models,
      learned: (await learnedLimits(service.store)).flatMap((one) => seenBy(caller, one)),
    }),
  );

  route(
    'PUT /models/:name',
    {
      summary: 'States limits of a model, over the catalogue; 0 is no limit.',
      params: ModelParams,
      body: z.strictObject({
        contextWindow: z.int().min(0).optional(),
        inputLimit: z.int().min(0).optional(),
        outputLimit: z.int().min(0).optional(),
      }),
      answer: LimitsOf,
    },
    async ({ params, body, caller }) => {
      checkMayActForAll(caller);
      const paths = [showPath(['models', params.name])];
      const stated = (knobs: Overrides): Overrides => ({
        ...knobs,
        models: { ...knobs.models, [params.name]: body },
      });
      await service.setKnobs(stated, caller.name, paths);
      return service.limitsOf(params.name);
    },
  );

  route(
    'DELETE /models/:name',
    {
      summary: 'Takes back what operators stated of a model, and what refusals taught of it.',
      params: ModelParams,
    },
    async ({ params, caller }) => {
      checkMayActForAll(caller);
      await forgetLimits(service.store, params.name);
      const keys = ['models', params.name];
      await service.setKnobs((knobs) => removePath(knobs, keys), caller.name, [showPath(keys)]);
    },
  );
}

/** Limits that the sessions of the caller's tenant learned. The ids of other tenants' sessions are not shown. */
function seenBy(caller: Caller, { model, seen, proven }: LearnedLimit): readonly LearnedLimit[] {
  const own = seen.filter(({ thread }) => maySee(caller, thread));
  const shared = proven.filter(({ tenant }) => caller.tenant === '' || tenant === caller.tenant);
  return own.length > 0 ? [{ model, seen: own, proven: shared }] : [];
}
