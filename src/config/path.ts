/** The path of a setting: keys, and numbers for indices in a list. */
export type Path = readonly (string | number)[];

/** Keys that would reach an object's prototype; refused in every layer. */
const PROTOTYPE_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

export const isPrototypeKey = (key: string): boolean => PROTOTYPE_KEYS.has(key);

/** `thresholds.snipThreshold`, `roster[2].opensAt`, `models["gpt-4.1"].inputLimit`. */
export function showPath(path: Path): string {
  let shown = '';
  for (const key of path) {
    if (typeof key === 'number') shown += `[${key}]`;
    else if (!/^[A-Za-z_$][\w$-]*$/.test(key)) shown += `[${JSON.stringify(key)}]`;
    else shown += shown === '' ? key : `.${key}`;
  }
  return shown;
}

const STEP = /^(?:\.?([^.[\]]+)|\[(\d+)\]|\[("(?:[^"\\\p{Cc}]|\\["\\/bfnrt]|\\u[\da-fA-F]{4})*")\])/u;

/** The keys of a path as `showPath` writes it: `models["gpt-4.1"].inputLimit`. Undefined if the text is no path. */
export function readPath(text: string): readonly string[] | undefined {
  const keys: string[] = [];
  for (let rest = text; rest !== '';) {
    const step = STEP.exec(rest);
    if (!step || (keys.length === 0 && rest.startsWith('.'))) return undefined;
    const [whole, name, index, quoted] = step;
    keys.push(name ?? index ?? (JSON.parse(quoted!) as string));
    rest = rest.slice(whole.length);
  }
  return keys.length > 0 ? keys : undefined;
}

/** `stages.snip.protectTokens` is `SPILLWAY_STAGES_SNIP_PROTECT_TOKENS`. */
export function envName(path: Path): string {
  const words = path.map((key) =>
    String(key)
      .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
      .replace(/[^A-Za-z0-9]+/g, '_'),
  );
  return `SPILLWAY_${words.join('_')}`.toUpperCase();
}

export function isMapping(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // Another realm's Object.prototype (a worker, a test runner) has no prototype itself.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** The value at a path, or undefined if a step is missing. Own keys only. */
export function valueAt(value: unknown, path: Path): unknown {
  let found = value;
  for (const key of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Record<string | number, unknown>)[key];
  }
  return found;
}

/** The keys in a path for the stars of `models.*.contextWindow`; undefined if the path does not match. */
export function keysOfStars(pattern: string, path: Path): Path | undefined {
  const keys = pattern.split('.');
  const isMatch = keys.length === path.length && keys.every((key, i) => key === '*' || key === path[i]);
  return isMatch ? path.filter((_, i) => keys[i] === '*') : undefined;
}
