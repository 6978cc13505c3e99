import type { Knobs } from '../api/types';
import { keysOf } from './keys';

/** The part of JSON Schema that settings use. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly multipleOf?: number;
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  /** The control that a plugin asks for in addition to the type: `model`. */
  readonly knob?: string;
}

/** The control that draws a knob. */
export type Control =
  | { readonly kind: 'toggle' }
  | { readonly kind: 'choice'; readonly choices: readonly string[] }
  | { readonly kind: 'choices'; readonly choices: readonly string[] }
  | { readonly kind: 'words' }
  | { readonly kind: 'text' }
  | { readonly kind: 'model' }
  | { readonly kind: 'slider'; readonly from: number; readonly to: number; readonly step: number }
  | { readonly kind: 'number'; readonly from?: number; readonly to?: number; readonly isWhole: boolean }
  | { readonly kind: 'json' };

/** With more steps a slider cannot be set precisely. */
const SLIDER_STEPS = 200;

/** The schema of a knob, by its path; undefined if the service has none for it. */
export function schemaAt({ schema, stages, plugins }: Knobs, path: string): Schema | undefined {
  const keys = keysOf(path);
  const [head, name = '', ...rest] = keys;
  if (head === 'stages') return within(stages[name] as Schema | undefined, rest);
  if (head === 'knobs') return within(plugins[name] as Schema | undefined, rest);
  return within(schema as Schema, keys);
}

function within(root: Schema | undefined, keys: readonly string[]): Schema | undefined {
  let at = root;
  for (const key of keys) {
    const inside = [plain(at, root), ...(at?.anyOf ?? [])].find((one) => entryOf(one, key));
    at = entryOf(inside, key);
  }
  return plain(at, root);
}

/** The schema of a fixed key, or of any key of a table. */
function entryOf(schema: Schema | undefined, key: string): Schema | undefined {
  const { properties, additionalProperties: any } = schema ?? {};
  return properties?.[key] ?? (typeof any === 'object' ? any : undefined);
}

const plain = (schema: Schema | undefined, root: Schema | undefined): Schema | undefined =>
  schema?.$ref === undefined ? schema : root?.$defs?.[schema.$ref.replace('#/$defs/', '')];

/** The schema without its null alternative. */
function withoutNull(schema: Schema): Schema {
  const some = (schema.anyOf ?? []).filter(({ type }) => type !== 'null');
  return some.length === 1 ? { ...some[0], ...(schema.knob !== undefined && { knob: schema.knob }) } : schema;
}

/** Whether the value may be null. */
export const mayBeEmpty = (schema: Schema | undefined): boolean =>
  schema !== undefined &&
  ((schema.anyOf ?? []).some(({ type }) => type === 'null') ||
    (Array.isArray(schema.type) && schema.type.includes('null')));

const hasType = ({ type }: Schema, name: string): boolean =>
  type === name || (Array.isArray(type) && type.includes(name) && type.length <= 2);

const isText = (value: unknown): value is string => typeof value === 'string';

export function controlOf(schema: Schema | undefined, value: unknown): Control {
  if (!schema) return byValue(value);
  const one = withoutNull(schema);
  if (one.enum?.every(isText)) return { kind: 'choice', choices: one.enum };
  if (hasType(one, 'boolean')) return { kind: 'toggle' };
  if (hasType(one, 'string')) return { kind: one.knob === 'model' ? 'model' : 'text' };
  if (hasType(one, 'integer') || hasType(one, 'number')) return numberOf(one);
  if (hasType(one, 'array') && one.items?.enum?.every(isText))
    return { kind: 'choices', choices: one.items.enum };
  if (hasType(one, 'array') && one.items?.type === 'string') return { kind: 'words' };
  return { kind: 'json' };
}

function numberOf(schema: Schema): Control {
  const isWhole = hasType(schema, 'integer');
  const from = schema.minimum ?? schema.exclusiveMinimum;
  const { maximum: to } = schema;
  const step = schema.multipleOf ?? (isWhole ? 1 : 0.01);
  if (from !== undefined && to !== undefined && (to - from) / step <= SLIDER_STEPS)
    return { kind: 'slider', from, to, step };
  return {
    kind: 'number',
    isWhole,
    ...(from !== undefined && { from }),
    ...(to !== undefined && to < Number.MAX_SAFE_INTEGER && { to }),
  };
}

function byValue(value: unknown): Control {
  if (typeof value === 'boolean') return { kind: 'toggle' };
  if (typeof value === 'number') return { kind: 'number', isWhole: false };
  return isText(value) ? { kind: 'text' } : { kind: 'json' };
}
