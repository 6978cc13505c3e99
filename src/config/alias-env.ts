import type { Alias } from './alias.js';
import type { Environment } from './env.js';
import type { Origin } from './faults.js';
import { envName } from './path.js';

/** Variables that bear a document's names, as trees; and the others. */
export function aliasVariables(
  env: Environment,
  aliases: readonly Alias[],
): {
  readonly rest: Environment;
  readonly trees: readonly { readonly tree: unknown; readonly origin: Origin }[];
} {
  const rest = { ...env };
  const trees = aliases.flatMap(({ path }) => {
    const name = envName(path) as `SPILLWAY_${string}`;
    const text = rest[name];
    // `models` and the like are settings of our own as well.
    if (text === undefined || text === '' || path.length === 1) return [];
    delete rest[name];
    const tree = path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), valueOf(text));
    return [{ tree, origin: `env ${name}` as const }];
  });
  return { rest, trees };
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
