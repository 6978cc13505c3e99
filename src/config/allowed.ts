import type { Path } from './path.js';
import type { JsonSchema } from './shape.js';

/** What a schema accepts, for people: `a number above 0, at most 1`; `gates | target`; `a whole number or empty`. */
export function allowed(json: JsonSchema): string {
  if (json.enum) return json.enum.map(String).join(' | ');
  if (json.const !== undefined) return String(json.const);
  if (json.anyOf) return [...new Set(json.anyOf.map(allowed))].join(', or ');
  if (Array.isArray(json.type))
    return json.type.map((type: string) => allowed({ ...json, type })).join(', or ');
  switch (json.type) {
    case 'number':
      return `a number${bounds(json)}${multiple(json)}`;
    case 'integer':
      return `a whole number${bounds(json)}${multiple(json)}`;
    case 'boolean':
      return 'true | false';
    case 'string':
      return 'text';
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

/** The schema of one place inside a leaf, e.g. of `[2].opensAt` in the roster. */
export function schemaAt(json: JsonSchema, path: Path): JsonSchema {
  const [key, ...rest] = path;
  if (key === undefined) return json;
  for (const branch of [json, ...(json.anyOf ?? [])]) {
    const extra = typeof branch.additionalProperties === 'object' ? branch.additionalProperties : undefined;
    const child = typeof key === 'number' ? branch.items : (branch.properties?.[key] ?? extra);
    if (child) return schemaAt(child, rest);
  }
  return {};
}

const multiple = ({ multipleOf }: JsonSchema): string =>
  multipleOf === undefined ? '' : `, a multiple of ${multipleOf}`;

function bounds(json: JsonSchema): string {
  const { exclusiveMinimum: above, exclusiveMaximum: below } = json;
  // zod writes the safe integers as bounds of every z.int(); they say nothing to an operator.
  const least = json.minimum === Number.MIN_SAFE_INTEGER ? undefined : json.minimum;
  const most = json.maximum === Number.MAX_SAFE_INTEGER ? undefined : json.maximum;
  if (least !== undefined && most !== undefined) return ` from ${least} to ${most}`;
  const parts = [
    above === undefined ? '' : `above ${above}`,
    least === undefined ? '' : `${least} or more`,
    below === undefined ? '' : `below ${below}`,
    most === undefined ? '' : `at most ${most}`,
  ].filter((part) => part !== '');
  return parts.length === 0 ? '' : `${least === undefined ? ' ' : ', '}${parts.join(', ')}`;
}
