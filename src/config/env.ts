import { allowed } from './allowed.js';
import type { Origin } from './faults.js';
import { Layer } from './layer.js';
import { nearest } from './nearest.js';
import { envName, type Path } from './path.js';
import type { JsonSchema, Section, Shape } from './shape.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Variables that are no settings: the file and the profile to load. `SPILLWAY_TEST_*` belongs to the test suites.
 * Any other `SPILLWAY_*` variable must name a setting, or a service, or it is a fault: a misspelt variable would change nothing.
 */
const RESERVED_ENV: readonly string[] = ['SPILLWAY_CONFIG', 'SPILLWAY_PROFILE'];

/**
 * Kubernetes and Docker tell a container of each service beside it: one that is called `spillway` brings
 * SPILLWAY_SERVICE_HOST, SPILLWAY_PORT, SPILLWAY_PORT_8080_TCP_ADDR and more; `spillway-api` SPILLWAY_API_SERVICE_HOST.
 */
const SERVICE_LINK =
  /^SPILLWAY_(?:\w+_)?(?:SERVICE_(?:HOST|PORT(?:_\w+)?)|PORT(?:_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)?)$/;

interface Target {
  readonly path: Path;
  readonly shape: Shape;
}

/** What the environment sets. An empty variable sets nothing (compose files pass them so). */
export function envLayer(env: Environment, root: Section): Layer {
  const layer = new Layer(root);
  const names = Object.keys(env).filter(
    (name) => name.startsWith('SPILLWAY_') && env[name] !== '' && env[name] !== undefined,
  );
  const relevant = names.filter((name) => !name.startsWith('SPILLWAY_TEST_') && !RESERVED_ENV.includes(name));
  if (relevant.length === 0) return layer;
  const targets = new Map<string, Target>();
  collect(root, [], targets);
  for (const name of relevant) {
    const origin: Origin = `env ${name as `SPILLWAY_${string}`}`;
    const text = env[name] ?? '';
    const target = targets.get(name);
    if (!target && SERVICE_LINK.test(name)) continue;
    if (!target) {
      const meant = nearest(name, targets.keys());
      const remedy = `${meant ? `Did you mean ${meant}? ` : 'It names no setting. '}Change or unset it.`;
      layer.faults.push({ subject: name, found: text, allowed: 'the name of a setting', remedy, origin });
      continue;
    }
    const value = decode(text, target.shape.json);
    if (value === NOT_JSON) {
      const accepts = allowed(target.shape.json) || 'any JSON';
      const remedy = `Write it as JSON. Change or unset ${name}.`;
      layer.faults.push({ subject: name, found: text, allowed: accepts, remedy, origin });
    } else {
      layer.add(value, origin, target.shape, target.path);
    }
  }
  return layer;
}

/** Every setting has a variable; a table has one as a whole. Where two settings meet in one name, the first has it. */
function collect(shape: Shape, path: Path, targets: Map<string, Target>): void {
  if (shape.kind === 'section') {
    for (const [key, child] of shape.keys) collect(child, [...path, key], targets);
    return;
  }
  const name = envName(path);
  if (!targets.has(name)) targets.set(name, { path, shape });
}

const NOT_JSON = Symbol('not JSON');
const NUMBER = /^[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/**
 * A variable's text as the type its setting wants. Text that is not of that type stays text, for the schema to refuse.
 * Not convict's own coercion: that one reads `0.8x` as 0.8 and any word as true.
 */
function decode(text: string, json: JsonSchema): unknown {
  const types = typesOf(json);
  if (types.has('null') && text === 'null') return null;
  if (types.has('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  if ((types.has('number') || types.has('integer')) && NUMBER.test(text.trim())) return Number(text);
  const structured = types.size === 0 || types.has('array') || types.has('object');
  if (!structured) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return types.has('string') ? text : NOT_JSON;
  }
}

function typesOf(json: JsonSchema): Set<string> {
  if (json.anyOf) return new Set(json.anyOf.flatMap((branch) => [...typesOf(branch)]));
  if (json.type === undefined) return new Set((json.enum ?? []).map((value) => typeof value));
  return new Set(typeof json.type === 'string' ? [json.type] : json.type);
}
