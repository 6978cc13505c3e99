import { z, type ZodType } from 'zod/v4';

/** The part of JSON Schema that `z.toJSONSchema` writes and Spillway reads. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
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

interface Described {
  readonly description: string;
  readonly json: JsonSchema;
}
/** A mapping with fixed keys. `open`: other keys are let through to the schema. */
export interface Section extends Described {
  readonly kind: 'section';
  readonly keys: ReadonlyMap<string, Shape>;
  readonly open: boolean;
  /** There even when no layer names it; an optional section is not. */
  readonly present: boolean;
}
/** A mapping with keys of the operator's own choice (`models`); layers merge key by key. */
export interface Table extends Described {
  readonly kind: 'table';
  readonly entry: Shape;
  readonly initial: unknown;
}
/** One setting; lists included, which a higher layer replaces whole. */
interface Leaf extends Described {
  readonly kind: 'leaf';
  readonly initial: unknown;
}
export type Shape = Section | Table | Leaf;

const known = new WeakMap<ZodType, JsonSchema>();

/** The settings with `stages.<name>` and `knobs.<plugin>` beside them, as one tree that every layer is read against. */
export function configShape(
  settings: ZodType,
  stageOptions: Readonly<Record<string, ZodType>>,
  knobs: Readonly<Record<string, ZodType>> = {},
  names: Names = {},
): Section {
  const root = shapeOf(settingsJson(settings, names), {}, true);
  if (root.kind !== 'section') throw new TypeError('settings must be an object schema');
  const sections = [
    ['stages', sectionOf('Options of each stage, by its name.', stageOptions)],
    ['knobs', sectionOf('Knobs of each plugin, by its name.', knobs)],
  ] as const;
  return { ...root, keys: new Map([...root.keys, ...sections]) };
}

/** Names that plugins bring, by the path of the setting that may hold them. */
export type Names = Readonly<Record<string, readonly string[]>>;

/** The schema of the settings, where a name that is one of some, or of a plugin, is told as one of all that there are. */
export function settingsJson(settings: ZodType, names: Names = {}): JsonSchema {
  return withNames(jsonOf(settings), names, '');
}

function withNames(json: JsonSchema, names: Names, at: string): JsonSchema {
  if (!json.properties) return json;
  const properties = Object.entries(json.properties).map(([key, child]): [string, JsonSchema] => {
    const path = at === '' ? key : `${at}.${key}`;
    return [key, withNames(named(child, names[path]), names, path)];
  });
  return { ...json, properties: Object.fromEntries(properties) };
}

/** One of its own names or any text: one of all names. Any text or nothing: one of the names there are, or nothing. */
function named(json: JsonSchema, names: readonly string[] = []): JsonSchema {
  const [own, other] = json.anyOf ?? [];
  if (own?.enum && other?.type === 'string' && !other.enum) {
    const { anyOf: _, ...rest } = json;
    return { ...rest, type: 'string', enum: [...own.enum, ...names] };
  }
  if (own?.type === 'string' && !own.enum && names.length > 0)
    return { ...json, anyOf: [{ type: 'string', enum: names }, ...json.anyOf!.slice(1)] };
  return json;
}

function sectionOf(description: string, schemas: Readonly<Record<string, ZodType>>): Section {
  const names = Object.keys(schemas);
  const properties = Object.fromEntries(names.map((name) => [name, jsonOf(schemas[name]!)]));
  return {
    kind: 'section',
    description,
    json: { type: 'object', properties, additionalProperties: false },
    keys: new Map(names.map((name) => [name, shapeOf(properties[name]!, {}, true)])),
    open: false,
    present: true,
  };
}

function shapeOf(json: JsonSchema, given: { value?: unknown }, present: boolean): Shape {
  const description = json.description ?? json.anyOf?.find((branch) => branch.description)?.description ?? '';
  const initial = present ? ('value' in given ? given.value : json.default) : undefined;
  if (json.properties) {
    const required = new Set(json.required);
    const keys = Object.entries(json.properties).map(([key, child]): [string, Shape] => {
      const own = typeof initial === 'object' && initial !== null && Object.hasOwn(initial, key);
      const value = own ? { value: (initial as Record<string, unknown>)[key] } : {};
      // An optional section stays away until a layer names it; one with a default, or a required one, is there.
      const here = own || required.has(key) || child.default !== undefined || !child.properties;
      return [key, shapeOf(child, value, present && here)];
    });
    const open = typeof json.additionalProperties === 'object' || json.additionalProperties === true;
    return { kind: 'section', description, json, keys: new Map(keys), open, present };
  }
  if (json.type === 'object' && typeof json.additionalProperties === 'object') {
    const entry = shapeOf(json.additionalProperties, {}, false);
    return { kind: 'table', description, json, entry, initial };
  }
  return { kind: 'leaf', description, json, initial };
}

/** Never throws: a schema of another zod (a plugin with its own copy) is one opaque setting that it checks itself. */
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
