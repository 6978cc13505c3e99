import { z, type ZodType } from 'zod/v4';
import { isMapping, type Path } from './path.js';

/** The part of JSON Schema that `z.toJSONSchema` writes and Spillway reads. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
  readonly title?: string;
}

/** The schemas for a configuration. */
export interface Schemas {
  readonly settings: ZodType;
  /** Options of each stage, by its name. */
  readonly stages: Readonly<Record<string, ZodType>>;
  /** Knobs of each plugin, by its name. */
  readonly knobs: Readonly<Record<string, ZodType>>;
}

/** The settings, together with `stages.<name>` and `knobs.<plugin>`, as one schema. */
export function wholeSchema({ settings, stages, knobs }: Schemas): JsonSchema {
  const section = (description: string, schemas: Readonly<Record<string, ZodType>>): JsonSchema => ({
    type: 'object',
    description,
    properties: jsonOfEach(schemas),
    required: Object.keys(schemas),
    additionalProperties: false,
    default: {},
  });
  const json = jsonOf(settings);
  return {
    ...json,
    properties: {
      ...json.properties,
      stages: section('Options of each stage, by its name.', stages),
      knobs: section('Knobs of each plugin, by its name.', knobs),
    },
  };
}

export const jsonOfEach = (schemas: Readonly<Record<string, ZodType>>): Record<string, JsonSchema> =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, jsonOf(schema)]));

const known = new WeakMap<ZodType, JsonSchema>();

/** Never throws: a schema of another zod (a plugin with its own copy) becomes one opaque setting that checks itself. */
export function jsonOf(schema: ZodType): JsonSchema {
  let json = known.get(schema);
  if (!json) {
    try {
      json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
    } catch {
      json = {};
    }
    known.set(schema, json);
  }
  return json;
}

/** Whether a mapping's keys are settings: its keys are fixed, or chosen by the operator (`models`). */
export const isSection = (json: JsonSchema | undefined): json is JsonSchema =>
  json !== undefined &&
  json.anyOf === undefined &&
  (json.properties !== undefined || typeof json.additionalProperties === 'object');

/** The schema of a place, e.g. of `roster[2].opensAt`. Undefined if the place does not exist. */
export function schemaAt(json: JsonSchema, path: Path): JsonSchema | undefined {
  const [key, ...rest] = path;
  if (key === undefined) return json;
  for (const branch of [json, ...(json.anyOf ?? [])]) {
    const { properties = {}, additionalProperties: others, items } = branch;
    const own = Object.hasOwn(properties, key) ? properties[key] : undefined;
    const open = others === true ? {} : typeof others === 'object' ? others : undefined;
    const child = typeof key === 'number' ? items : (own ?? open);
    if (child) return schemaAt(child, rest);
  }
  return undefined;
}

/** One place of a schema: a section, or a setting. */
export interface Place {
  readonly path: Path;
  readonly json: JsonSchema;
  readonly description: string;
  /** The default value; undefined if there is none. */
  readonly initial: unknown;
  /** Whether its keys are fixed, and are the places that follow. */
  readonly isSection: boolean;
}

/** Every place in the order of the schema, sections before their content. */
export function* placesIn(
  json: JsonSchema,
  path: Path = [],
  initial: unknown = path.length === 0 ? {} : undefined,
): Generator<Place> {
  const description = json.description ?? json.anyOf?.find((branch) => branch.description)?.description ?? '';
  if (path.length > 0) yield { path, json, description, initial, isSection: json.properties !== undefined };
  for (const [key, child] of Object.entries(json.properties ?? {})) {
    // An optional section is absent until a layer sets it; a section with a default, or a required one, exists.
    const isThere = child.properties && child.default === undefined && json.required?.includes(key);
    const usual = initial === undefined ? undefined : isThere ? {} : child.default;
    const isOwn = isMapping(initial) && Object.hasOwn(initial, key);
    yield* placesIn(child, [...path, key], isOwn ? initial[key] : usual);
  }
}

/** The types that a schema accepts; empty if it accepts anything. */
export function typesOf(json: JsonSchema): Set<string> {
  if (json.anyOf) return new Set(json.anyOf.flatMap((branch) => [...typesOf(branch)]));
  if (json.type === undefined) return new Set((json.enum ?? []).map((value) => typeof value));
  return new Set(typeof json.type === 'string' ? [json.type] : json.type);
}

/** The accepted values in words: `a number above 0, at most 1`; `gates | target`; `a whole number or empty`. */
export function allowed(json: JsonSchema): string {
  if (json.enum) return json.enum.map(String).join(' | ');
  if (json.const !== undefined) return String(json.const);
  if (json.anyOf) return [...new Set(json.anyOf.map(allowed))].join(', or ');
  if (Array.isArray(json.type))
    return json.type.map((type: string) => allowed({ ...json, type })).join(', or ');
  switch (json.type) {
    case 'number':
    case 'integer':
      return `${json.type === 'number' ? 'a number' : 'a whole number'}${bounds(json)}`;
    case 'boolean':
      return 'true | false';
    case 'string':
      return json.format === 'uri' ? 'an address with http:// or https://' : 'text';
    case 'null':
      return 'null';
    case 'array':
      return json.items ? `a list; each item: ${allowed(json.items)}` : 'a list';
    case 'object':
      return json.properties ? `a mapping with ${Object.keys(json.properties).join(', ')}` : 'a mapping';
    default:
      return '';
  }
}

function bounds({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }: JsonSchema): string {
  // zod writes the safe integers as bounds of every z.int(); they are useless to an operator.
  const least = minimum === Number.MIN_SAFE_INTEGER ? undefined : minimum;
  const most = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum;
  const steps = multipleOf === undefined ? '' : `, a multiple of ${multipleOf}`;
  if (least !== undefined && most !== undefined) return ` from ${least} to ${most}${steps}`;
  const parts = [
    exclusiveMinimum === undefined ? '' : `above ${exclusiveMinimum}`,
    least === undefined ? '' : `${least} or more`,
    exclusiveMaximum === undefined ? '' : `below ${exclusiveMaximum}`,
    most === undefined ? '' : `at most ${most}`,
  ].filter((part) => part !== '');
  return `${parts.length === 0 ? '' : `${least === undefined ? ' ' : ', '}${parts.join(', ')}`}${steps}`;
}
