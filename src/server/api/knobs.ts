import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod/v4';
import { merge, type Overrides } from '../engine.js';
import type { Service } from '../service.js';
import { checkOpen, isClosed } from './closed.js';
import { Knobs } from './schemas.js';

const tags = ['knobs'];
/** Every parameter with its schema, its value and who set it; what operators set here wins over files and environment. */
export const knobRoutes =
  (service: Service): FastifyPluginAsyncZod =>
  async (app) => {
    const knobs = async (): Promise<object> => ({ ...schemas(service), values: await valuesOf(service) });
    const closed = { tags, response: { 200: Knobs } };

    app.get(
      '/knobs',
      {
        config: { role: 'viewer' },
        schema: { ...closed, summary: 'Every parameter: schema, value, and who set it.' },
      },
      async () => (await knobs()) as never,
    );

    app.patch(
      '/knobs',
      {
        config: { role: 'operator' },
        schema: {
          ...closed,
          summary:
            'Sets parameters, for good and for all sessions. Null takes a setting of an operator away again.',
          body: z.strictObject({
            changes: z
              .record(z.string().min(1), z.unknown())
              .describe('By path: {"thresholds.snipThreshold": 0.75}.')
              .default({}),
            empty: z
              .array(z.string().min(1))
              .describe('Paths that are to be empty: null is their value, over files and environment.')
              .default([]),
          }),
        },
      },
      async (request) => {
        let next = service.knobs;
        const { changes, empty } = request.body;
        for (const [path, value] of Object.entries(changes))
          next = value === null ? takenBack(next, path) : changed(next, path, value);
        for (const path of empty) next = changed(next, path, null);
        const paths = [...Object.keys(changes), ...empty];
        await service.setKnobs(next, { by: request.caller.name, paths });
        return (await knobs()) as never;
      },
    );

    app.delete(
      '/knobs',
      {
        config: { role: 'operator' },
        schema: {
          ...closed,
          summary: 'Takes back what operators set: one parameter, or all.',
          querystring: z.object({ path: z.string().optional() }),
        },
      },
      async (request) => {
        const { path } = request.query;
        const next = path === undefined ? {} : takenBack(service.knobs, path);
        await service.setKnobs(next, { by: request.caller.name, paths: path === undefined ? [] : [path] });
        return (await knobs()) as never;
      },
    );
  };

function schemas({ spillway }: Service): object {
  const { schema, stages, plugins } = spillway.knobs;
  const properties = Object.fromEntries(
    Object.entries(schema.properties ?? {}).filter(([name]) => !isClosed([name])),
  );
  return { schema: { ...schema, properties }, stages, plugins };
}

async function valuesOf(service: Service): Promise<readonly object[]> {
  const { config } = service.engine;
  const changes = await service.knobChanges();
  const before = new Map((await service.withoutKnobs()).entries.map(({ path, value }) => [path, value]));
  return config.entries
    .filter(({ path }) => !isClosed(path.split('.')))
    .map((entry) => {
      const own = isSet(service.knobs, entry.path);
      if (!own) return { ...entry, own };
      const change = changeOf(changes, entry.path);
      return { ...entry, own, origin: 'operator', before: before.get(entry.path) ?? null, ...change };
    });
}

/** Who set it last: by its own path, or that of what it stands in. */
function changeOf(changes: Readonly<Record<string, object>>, path: string): object {
  const around = Object.keys(changes).filter(
    (key) => path === key || path.startsWith(`${key}.`) || path.startsWith(`${key}[`),
  );
  const nearest = around.toSorted((a, b) => b.length - a.length)[0];
  return nearest === undefined ? {} : changes[nearest]!;
}

function isSet(knobs: Overrides, path: string): boolean {
  let tree: unknown = knobs;
  for (const key of path.split('.')) {
    if (typeof tree !== 'object' || tree === null || Array.isArray(tree) || !Object.hasOwn(tree, key))
      return false;
    tree = (tree as Readonly<Record<string, unknown>>)[key];
  }
  return true;
}

/** Throws `CONFIG_INVALID` for what only files and variables may say. */
function changed(knobs: Overrides, path: string, value: unknown): Overrides {
  const keys = path.split('.');
  checkOpen(keys, value);
  const change = keys.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
  return merge(knobs as Tree, change as Tree) as Overrides;
}

/** Throws `CONFIG_INVALID` likewise. */
function takenBack(knobs: Overrides, path: string): Overrides {
  const keys = path.split('.');
  checkOpen(keys, null);
  return without(knobs as Tree, keys) as Overrides;
}

type Tree = Readonly<Record<string, unknown>>;

function without(tree: Tree, [key, ...rest]: readonly string[]): Tree {
  const inner = tree[key!];
  const { [key!]: _, ...others } = tree;
  if (rest.length === 0 || typeof inner !== 'object' || inner === null) return others;
  const left = without(inner as Tree, rest);
  return Object.keys(left).length > 0 ? { ...others, [key!]: left } : others;
}
