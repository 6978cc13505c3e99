import { join } from 'node:path';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod/v4';
import { listProfiles, showPath } from '../../config/index.js';
import { costsOf, forgetLimits, learnedLimits } from '../../session/index.js';
import { packageFolder } from '../../package-folder.js';
import { checkMayActForAll, maySee } from '../access.js';
import type { Service } from '../service.js';
import { Costs, WaitingPlan } from './schemas.js';

const tags = ['project'];
const config = { role: 'viewer' } as const;
const LimitsOf = z.looseObject({
  contextWindow: z.number().optional(),
  inputLimit: z.number().optional(),
  outputLimit: z.number().optional(),
});

/** What stands over single sessions: what waits, what all cost, stages, profiles, models. */
export const projectRoutes =
  (service: Service): FastifyPluginAsyncZod =>
  async (app) => {
    app.get(
      '/me',
      {
        config: { role: 'client' },
        schema: {
          tags,
          summary: 'Who asks, and what he may do.',
          response: { 200: z.object({ name: z.string(), role: z.string(), tenant: z.string() }) },
        },
      },
      ({ caller }) => caller,
    );

    app.get(
      '/inbox',
      {
        config,
        schema: {
          tags,
          summary: 'Plans that wait for a yes, of all sessions.',
          response: { 200: z.object({ items: z.array(WaitingPlan) }) },
        },
      },
      async ({ caller }) => {
        const threads = (await service.store.threads()).filter(({ sessionId }) => maySee(caller, sessionId));
        const waiting = await Promise.all(
          threads.map(async ({ head, ...key }) => {
            if (head.entries === 0) return [];
            const { pending } = (await service.session(key)).operator;
            return pending ? [{ sessionId: key.sessionId, agentPath: key.agentPath, ...pending }] : [];
          }),
        );
        return { items: waiting.flat() } as never;
      },
    );

    app.get(
      '/costs',
      {
        config,
        schema: {
          tags,
          summary: 'What all sessions spent, agent and compactor apart, as stored.',
          response: { 200: Costs },
        },
      },
      async ({ caller }) => {
        const entries =
          caller.tenant === ''
            ? await service.store.usage()
            : (
                await Promise.all(
                  [...new Set((await service.store.threads()).map(({ sessionId }) => sessionId))]
                    .filter((id) => maySee(caller, id))
                    .map((sessionId) => service.store.usage({ sessionId })),
                )
              ).flat();
        return costsOf(entries);
      },
    );

    app.get(
      '/stages',
      {
        config,
        schema: {
          tags,
          summary: 'The roster in order, then what is switched off.',
          response: {
            200: z.object({
              items: z.array(
                z.looseObject({ name: z.string(), opensAt: z.number().optional(), summary: z.string() }),
              ),
            }),
          },
        },
      },
      () => ({ items: service.spillway.stages }) as never,
    );

    app.get(
      '/profiles',
      {
        config,
        schema: {
          tags,
          summary: 'Profiles that a configuration may name.',
          response: {
            200: z.object({ items: z.array(z.object({ name: z.string(), description: z.string() })) }),
          },
        },
      },
      async () => ({ items: await listProfiles(join(packageFolder(), 'config')) }),
    );

    app.get(
      '/models/:name',
      {
        config,
        schema: {
          tags,
          summary: 'Limits of a model, and where each is from.',
          params: z.object({ name: z.string() }),
          response: { 200: LimitsOf },
        },
      },
      ({ params }) => service.engine.catalogue.lookup(params.name) as never,
    );

    app.get(
      '/models',
      {
        config,
        schema: {
          tags,
          summary: 'Limits that the settings state, by model, and those that refusals taught.',
          response: {
            200: z.object({
              overrides: z.record(z.string(), LimitsOf),
              learned: z.array(z.looseObject({ model: z.string() })),
            }),
          },
        },
      },
      async () =>
        ({ overrides: service.settings.models, learned: await learnedLimits(service.store) }) as never,
    );

    app.put(
      '/models/:name',
      {
        config: { role: 'operator' },
        schema: {
          tags,
          summary: 'States limits of a model, over the catalogue; 0 is no limit.',
          params: z.object({ name: z.string() }),
          body: z.strictObject({
            contextWindow: z.int().min(0).optional(),
            inputLimit: z.int().min(0).optional(),
            outputLimit: z.int().min(0).optional(),
          }),
          response: { 200: LimitsOf },
        },
      },
      async ({ params, body, caller }) => {
        checkMayActForAll(caller);
        const models = { ...service.knobs.models, [params.name]: body };
        const paths = [showPath(['models', params.name])];
        await service.setKnobs({ ...service.knobs, models }, { by: caller.name, paths });
        return service.engine.catalogue.lookup(params.name) as never;
      },
    );

    app.delete(
      '/models/:name',
      {
        config: { role: 'operator' },
        schema: {
          tags,
          summary: 'Takes back what operators stated of a model, and what refusals taught of it.',
          params: z.object({ name: z.string() }),
          response: { 204: z.null() },
        },
      },
      async ({ params, caller }, reply) => {
        checkMayActForAll(caller);
        const { [params.name]: _, ...models } = service.knobs.models ?? {};
        await forgetLimits(service.store, params.name);
        const paths = [showPath(['models', params.name])];
        await service.setKnobs({ ...service.knobs, models }, { by: caller.name, paths });
        return reply.code(204).send(null);
      },
    );
  };
