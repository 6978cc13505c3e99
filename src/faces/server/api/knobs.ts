import type { FastifyInstance } from 'fastify';
import { z } from 'zod/v4';
import { readPath, showPath, valueAt } from '../../../config/index.js';
import { SpillwayError } from '../../../errors/index.js';
import { merge, type Overrides } from '../engine.js';
import { checkMayActForAll } from '../access.js';
import type { Service } from '../service.js';
import { checkOpen, isClosed } from './closed.js';
import { routesOf } from './route.js';
import { isFields, type Fields } from '../../../formats/index.js';
import { Knobs } from '../../operations/index.js';

/** Routes for every parameter: schema, value and origin. Operators' settings win over files and environment. */
export function knobRoutes(app: FastifyInstance, service: Service): void {
  const { route } = routesOf(app, service, 'knobs');
  const knobs = async (): Promise<object> => ({ ...schemas(service), values: await valuesOf(service) });

  route('GET /knobs', { summary: 'Every parameter: schema, value, and who set it.', answer: Knobs }, knobs);

  route(
    'PATCH /knobs',
    {
      summary: 'Sets parameters permanently, for all sessions. Null removes a setting of an operator.',
      body: z.strictObject({
        changes: z
          .record(z.string().min(1), z.unknown())
          .describe(
            'By path, as GET /knobs writes it: {"thresholds.snipThreshold": 0.75}; a key with dots in brackets, models["gpt-4.1"].contextWindow.',
          )
          .default({}),
        empty: z
          .array(z.string().min(1))
          .describe('Paths to set to null, which overrides files and environment.')
          .default([]),
      }),
      answer: Knobs,
    },
    async ({ caller, body: { changes, empty } }) => {
      checkMayActForAll(caller);
      const change = (knobs: Overrides): Overrides => {
        let next = knobs;
        for (const [path, value] of Object.entries(changes)) {
          const keys = keysOf(path);
          next = value === null || value === undefined ? unset(next, keys) : withValue(next, keys, value);
        }
        for (const path of empty) next = withValue(next, keysOf(path), null);
        return next;
      };
      const paths = [...Object.keys(changes), ...empty].map((path) => showPath(keysOf(path)));
      await service.setKnobs(change, caller.name, paths);
      return knobs();
    },
  );
}

function schemas({ spillway }: Service): object {
  const { schema, stages, plugins } = spillway.knobs;
  const properties = Object.fromEntries(
    Object.entries(schema.properties ?? {}).filter(([name]) => !isClosed([name])),
  );
  return { schema: { ...schema, properties }, stages, plugins };
}

async function valuesOf(service: Service): Promise<readonly object[]> {
  const { config } = service.spillway;
  const changes = await service.knobChanges();
  const before = new Map((await service.withoutKnobs()).entries.map(({ path, value }) => [path, value]));
  return config.entries
    .filter(({ path }) => !isClosed(keysOf(path)))
    .map((entry) => {
      const own = valueAt(service.knobs, keysOf(entry.path)) !== undefined;
      if (!own) return { ...entry, own };
      const change = changeOf(changes, entry.path);
      return { ...entry, own, origin: 'operator', before: before.get(entry.path) ?? null, ...change };
    });
}

/** The newest change of a parameter, made at its own path or at the path of a mapping around it. */
function changeOf(changes: Readonly<Record<string, object>>, path: string): object {
  const around = Object.keys(changes).filter(
    (key) => path === key || path.startsWith(`${key}.`) || path.startsWith(`${key}[`),
  );
  const nearest = around.toSorted((a, b) => b.length - a.length)[0];
  return nearest === undefined ? {} : changes[nearest]!;
}

/** Throws `CONFIG_INVALID` if the text is no path. */
function keysOf(path: string): readonly string[] {
  const keys = readPath(path);
  if (keys) return keys;
  throw new SpillwayError('CONFIG_INVALID', {
    subject: 'path of a knob',
    found: path,
    allowed: 'thresholds.snipThreshold, models["gpt-4.1"].contextWindow',
    remedy: 'Write it as GET /knobs does.',
  });
}

/** Throws `CONFIG_INVALID` for settings that only files, environment and code may change. */
function withValue(knobs: Overrides, keys: readonly string[], value: unknown): Overrides {
  checkOpen(keys, value);
  return merge(knobs, keys.reduceRight((inner, key) => ({ [key]: inner }), value) as object);
}

/** Throws `CONFIG_INVALID` for the same settings. */
function unset(knobs: Overrides, keys: readonly string[]): Overrides {
  checkOpen(keys, null);
  return removePath(knobs, keys);
}

/** The tree without the value at a path, and without mappings that become empty. */
export function removePath<Tree extends object>(tree: Tree, [key, ...rest]: readonly string[]): Tree {
  const { [key!]: inner, ...others } = tree as Fields;
  const left = rest.length > 0 && isFields(inner) ? removePath(inner, rest) : {};
  return (Object.keys(left).length > 0 ? { ...others, [key!]: left } : others) as Tree;
}
