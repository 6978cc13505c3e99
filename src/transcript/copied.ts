import { types } from 'node:util';
import { thrownText } from '../errors/index.js';

/**
 * The most levels of objects and lists in one value. Requests nest about ten; their readers recurse once per level, and
 * the runtime's own JSON fails at a few thousand. The limit also stops at a value that contains itself.
 */
const MAX_LEVELS = 500;
const BIGINT = 'a bigint';
const TOO_DEEP = `more than ${MAX_LEVELS} levels, or a value that holds itself`;

/** A value that no request can carry. The message is used in error messages. */
export class NotCopyable extends Error {}

/** Options of a copy. */
export interface CopyOptions {
  /** Freezes the copy. Bytes and instances of classes stay as they are. */
  readonly freeze?: boolean;
  /** The copy is stored: values that JSON cannot write are refused. Uncopied instances and a `toJSON` are tried. */
  readonly stored?: boolean;
  /** Copies an instance of a class; without this function, instances are shared. */
  readonly instance?: (value: object, copy: (inner: unknown) => unknown) => unknown;
}

/**
 * A deep copy of lists, object literals, bytes, dates and URLs; strings are shared. Values that are passed to the
 * engine or returned by it may be changed later, and the other side must not see the change. Throws `NotCopyable`.
 */
export function copied<T>(value: T, options: CopyOptions = {}): T {
  return copyOf(value, options, 0) as T;
}

/** Why `copied` would throw, without making a copy. Instances of classes are not examined. */
export function whyNotCopyable(value: unknown, depth = 0): string | undefined {
  if (typeof value === 'bigint') return BIGINT;
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth > MAX_LEVELS) return TOO_DEEP;
  if (!Array.isArray(value) && !isPlain(value)) return undefined;
  for (const key in value) {
    const why = whyNotCopyable((value as Readonly<Record<string, unknown>>)[key], depth + 1);
    if (why !== undefined) return why;
  }
  return undefined;
}

/**
 * The value after a round trip through JSON, as a reader after a restart gets it. Throws `NotCopyable` if JSON cannot
 * represent the value, or if it nests too deep.
 */
export function jsonOf(value: unknown): unknown {
  const why = whyNotCopyable(value);
  if (why !== undefined) throw new NotCopyable(why);
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) throw new NotCopyable(`a ${typeof value}`);
  const json: unknown = JSON.parse(text);
  // The first check does not look into instances of classes; their JSON is checked here.
  const whyNot = whyNotCopyable(json);
  if (whyNot !== undefined) throw new NotCopyable(whyNot);
  return json;
}

/** More items than any answer of a stage or a plugin has. */
const MAX_ITEMS = 100_000;

/**
 * Copies a list from outside. Its length is read once, because a proxy may report any length, and a different one each
 * time. Throws `TypeError` if the value is no list or has more than `most` items.
 */
export function listFrom(value: unknown, most = MAX_ITEMS): unknown[] {
  if (!Array.isArray(value)) throw new TypeError('no list');
  const { length } = value;
  if (length > most) throw new TypeError(`a list of ${length}; at most ${most}`);
  return Array.from({ length }, (_, index) => value[index] as unknown);
}

/** Whether a value is an object literal of any realm or a parsed JSON object: no bytes, no URL, no class instance. */
export function isPlain(value: object): value is Readonly<Record<string, unknown>> {
  const prototype = Object.getPrototypeOf(value) as object | null;
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}

function copyOf(value: unknown, options: CopyOptions, depth: number): unknown {
  if (typeof value === 'bigint') throw new NotCopyable(BIGINT);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_LEVELS) throw new NotCopyable(TOO_DEEP);
  if (Array.isArray(value)) {
    const list: readonly unknown[] = value;
    const copy = list.slice();
    for (let i = 0; i < copy.length; i++) {
      const inner = copy[i];
      if (typeof inner === 'object' || typeof inner === 'bigint') copy[i] = copyOf(inner, options, depth + 1);
    }
    return options.freeze === true ? Object.freeze(copy) : copy;
  }
  if (!isPlain(value)) {
    const instance = copyOfInstance(value);
    if (instance !== undefined) return instance;
    if (options.stored === true) tryJson(value);
    // A class writes its own content as JSON, which was just tried.
    const within = options.stored === true ? { ...options, stored: false } : options;
    return options.instance?.(value, (inner) => copyOf(inner, within, depth + 1)) ?? value;
  }
  // A spread would give every frozen copy its own hidden class; an assignment would set the prototype of `__proto__`.
  const copy: Record<string, unknown> =
    options.freeze === true && !Object.hasOwn(value, '__proto__') ? Object.assign({}, value) : { ...value };
  if (options.stored === true && typeof copy.toJSON === 'function') tryJson(value);
  for (const key in copy) {
    const inner = copy[key];
    if (typeof inner === 'object' || typeof inner === 'bigint') copy[key] = copyOf(inner, options, depth + 1);
  }
  return options.freeze === true ? Object.freeze(copy) : copy;
}

/** Fails now if storing the value would fail each time. */
function tryJson(value: object): void {
  try {
    JSON.stringify(value);
  } catch (error) {
    throw new NotCopyable(`a value that JSON cannot write: ${thrownText(error)}`);
  }
}

function copyOfInstance(value: object): object | undefined {
  if (value instanceof Uint8Array) return Buffer.isBuffer(value) ? Buffer.from(value) : value.slice();
  if (value instanceof ArrayBuffer) return value.slice(0);
  if (value instanceof URL) return new URL(value);
  if (types.isDate(value)) return structuredClone(value);
  return undefined;
}
