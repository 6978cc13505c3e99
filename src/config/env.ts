import { nearest, type ConfigFault, type Origin } from './faults.js';
import { allowed, placesIn, typesOf, type JsonSchema } from './json-schema.js';
import { layerOf, type Layer, type Reading } from './layers.js';
import { envName, type Path } from './path.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Variables that are no settings: the file and the profile to load. `SPILLWAY_TEST_*` belongs to the test suites. Any
 * other `SPILLWAY_*` variable must name a setting or a service, or it is a fault: a misspelt one has no effect.
 */
const RESERVED = /^SPILLWAY_(?:CONFIG$|PROFILE$|TEST_)/;

/**
 * Kubernetes and Docker set variables in a container for each neighbouring service: `spillway` gives
 * SPILLWAY_SERVICE_HOST, SPILLWAY_PORT, SPILLWAY_PORT_8080_TCP_ADDR and more; `spillway-api` SPILLWAY_API_SERVICE_HOST.
 */
const SERVICE_LINK =
  /^SPILLWAY_(?:\w+_)?(?:SERVICE_(?:HOST|PORT(?:_\w+)?)|PORT(?:_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)?)$/;

/** The value of such a variable for a service `spillway-server`: the setting `server.port` has the same variable. */
const SERVICE_ADDRESS = /^(?:tcp|udp|sctp):\/\//;

/** The environment's settings, a layer for each variable. An empty variable sets nothing (compose files pass these). */
export function envLayers(env: Environment, reading: Reading): Layer[] {
  const set = Object.entries(env).filter(
    ([name, text]) =>
      name.startsWith('SPILLWAY_') && !RESERVED.test(name) && text !== '' && text !== undefined,
  ) as [`SPILLWAY_${string}`, string][];
  if (set.length === 0) return [];
  const targets = targetsIn(reading);
  // Our own names override a document's names.
  const isOurs = ([name]: readonly [string, string]): number => Number(targets.get(name)?.json !== ANY_TEXT);
  return set
    .toSorted((a, b) => isOurs(a) - isOurs(b))
    .flatMap(([name, text]): Layer[] => {
      const origin: Origin = `env ${name}`;
      const refused = (what: string, remedy: string): Layer[] => {
        const fault: ConfigFault = { subject: name, found: text, allowed: what, remedy, origin };
        return [{ settings: {}, faults: [fault] }];
      };
      const target = targets.get(name);
      if (SERVICE_LINK.test(name) && (!target || SERVICE_ADDRESS.test(text))) return [];
      if (!target) {
        const meant = nearest(name, targets.keys());
        const remedy = `${meant ? `Did you mean ${meant}? ` : 'It names no setting. '}Change or unset it.`;
        return refused('the name of a setting', remedy);
      }
      const value = decodeText(text, target.json);
      if (value === undefined)
        return refused(allowed(target.json) || 'any JSON', `Write it as JSON. Change or unset ${name}.`);
      const tree = target.path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
      return [layerOf(tree, origin, reading)];
    });
}

interface Target {
  readonly path: Path;
  readonly json: JsonSchema;
}

const ANY_TEXT: JsonSchema = { type: ['string', 'number', 'boolean', 'null', 'array', 'object'] };

/** The variable of every setting; a table has one for the whole. If two settings share a variable, the first has it. */
function targetsIn({ root, names = {} }: Reading): ReadonlyMap<string, Target> {
  const targets = new Map<string, Target>();
  const add = (path: Path, json: JsonSchema): void => {
    const name = envName(path);
    if (!targets.has(name)) targets.set(name, { path, json });
  };
  const documentNames = Object.keys(names).filter((from) => from.includes('.') && !from.includes('*'));
  for (const from of documentNames) add(from.split('.'), ANY_TEXT);
  for (const { path, json, isSection } of placesIn(root)) if (!isSection) add(path, json);
  return targets;
}

const NUMBER = /^[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/**
 * A variable's text in the type of its setting; undefined if the type needs JSON and the text is no JSON. Text of
 * another type remains text, which the schema refuses.
 */
function decodeText(text: string, json: JsonSchema): unknown {
  const types = typesOf(json);
  const takes = (...names: string[]): boolean => names.some((name) => types.has(name));
  if (takes('null') && text === 'null') return null;
  if (takes('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  if (takes('number', 'integer') && NUMBER.test(text.trim())) return Number(text);
  if (types.size > 0 && !takes('array', 'object')) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return takes('string') ? text : undefined;
  }
}
