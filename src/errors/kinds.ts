import type { Fault } from './error.js';

/** A requirement for a value: a test, and a description for errors. */
export interface Kind {
  readonly is: (value: unknown) => boolean;
  readonly words: string;
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const TEXT: Kind = { is: (value) => typeof value === 'string' && value !== '', words: 'a text' };
export const ANY_TEXT: Kind = { is: (value) => typeof value === 'string', words: 'a text' };
export const OBJECT: Kind = { is: isObject, words: 'an object' };
export const FUNCTION: Kind = { is: (value) => typeof value === 'function', words: 'a function' };
export const NULL: Kind = { is: (value) => value === null, words: 'null' };
export const ANYTHING: Kind = { is: () => true, words: 'anything' };
export const BOOLEAN: Kind = { is: (value) => typeof value === 'boolean', words: 'true or false' };
/** Positions and lengths. */
export const WHOLE: Kind = {
  is: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
  words: 'a whole number, 0 or more',
};
/** Counts of tokens; larger ones cannot be summed exactly. */
export const COUNT: Kind = {
  is: (value) => typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER,
  words: 'a number, 0 or more',
};

export const listOf = (kind: Kind): Kind => ({
  is: (value) => Array.isArray(value) && value.every((item) => kind.is(item)),
  words: `a list, each ${kind.words}`,
});

export const either = (...kinds: readonly Kind[]): Kind => ({
  is: (value) => kinds.some((kind) => kind.is(value)),
  words: kinds.map(({ words }) => words).join(', or '),
});

export const oneOf = (...values: readonly string[]): Kind => ({
  is: (value) => values.includes(value as string),
  words: values.join(', '),
});

/** An object with at least these fields. */
export const having = (fields: Readonly<Record<string, Kind>>): Kind => ({
  is: (value) =>
    isObject(value) &&
    Object.entries(fields).every(([name, kind]) => kind.is((value as Record<string, unknown>)[name])),
  words: `an object with ${Object.entries(fields)
    .map(([name, { words }]) => `${name} (${words})`)
    .join(', ')}`,
});

/**
 * The faults in the fields of an object from code without types: a field of a wrong kind, or an unknown name, which
 * would otherwise be ignored silently. Undefined fields count as absent.
 */
export function fieldFaults(
  owner: string,
  options: unknown,
  fields: Readonly<Record<string, Kind>>,
  remedy: string,
): Fault[] {
  const names = Object.keys(fields).join(', ');
  if (!isObject(options)) {
    const [subject, found] = [`what ${owner} is given`, options ?? String(options)];
    return [{ subject, found, allowed: `an object with ${names}`, remedy }];
  }
  const unknown = Object.keys(options).filter((name) => !Object.hasOwn(fields, name));
  const wrong = Object.entries(options).flatMap(([name, value]): Fault[] => {
    const kind = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (!kind || value === undefined || kind.is(value)) return [];
    const found = typeof value === 'function' ? 'a function' : value;
    return [{ subject: `option ${name} of ${owner}`, found, allowed: kind.words, remedy }];
  });
  if (unknown.length === 0) return wrong;
  const subject = `unknown ${unknown.length === 1 ? 'option' : 'options'} ${unknown.join(', ')} of ${owner}`;
  return [{ subject, allowed: names, remedy }, ...wrong];
}
