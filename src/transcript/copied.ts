import { types } from 'node:util';
import { thrownText } from '../errors/index.js';

/**
 * Levels of objects and lists in one value. Requests nest some ten; what reads them calls itself once a level, and the
 * runtime's own JSON gives up at a few thousand. A value that holds itself ends here as well.
 */
const DEEPEST = 500;
const BIGINT = 'a bigint';
const TOO_DEEP = `more than ${DEEPEST} levels, or a value that holds itself`;

/** What no request can carry, in the words of an error message. */
export class NotCopyable extends Error {}

/** What a copy may hold, and how deep it may go. */
export interface CopyOptions {
  /** The copy cannot be written to. Bytes and instances of classes stay as they are. */
  readonly freeze?: boolean;
  /** The copy is stored: what JSON cannot write is refused. Instances that are not copied and a `toJSON` are tried. */
  readonly stored?: boolean;
  /** Copies an instance of a class; without it instances are not copied. */
  readonly instance?: (value: object, copy: (inner: unknown) => unknown) => unknown;
}

/**
 * A deep copy of lists, object literals, bytes, dates and addresses; texts are shared. What is passed to the engine or
 * handed out by it may be written to afterwards, and neither side may see that. Throws `NotCopyable`.
 */
export function copied<T>(value: T, options: CopyOptions = {}): T {
  return copyOf(value, options, 0) as T;
}

/** Why `copied` would throw, without a copy being made. Instances of classes are not looked into. */
export function whyNotCopyable(value: unknown, depth = 0): string | undefined {
  if (typeof value === 'bigint') return BIGINT;
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth > DEEPEST) return TOO_DEEP;
  if (!Array.isArray(value) && !isPlain(value)) return undefined;
  for (const key in value) {
    const why = whyNotCopyable((value as Readonly<Record<string, unknown>>)[key], depth + 1);
    if (why !== undefined) return why;
  }
  return undefined;
}

/**
 * What JSON says of a value: what whoever reads it after a restart has. Throws where JSON cannot say it, and where it nests
 * so deep that it could not be written everywhere.
 */
export function jsonOf(value: unknown): unknown {
  const why = whyNotCopyable(value);
  if (why !== undefined) throw new NotCopyable(why);
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) throw new NotCopyable(`a ${typeof value}`);
  const json: unknown = JSON.parse(text);
  // Instances of classes are looked into by the writer alone.
  const whyNot = whyNotCopyable(json);
  if (whyNot !== undefined) throw new NotCopyable(whyNot);
  return json;
}

/** No answer of a stage or a plugin holds so many. */
const MOST_ITEMS = 100_000;

/**
 * A list from outside as one of our own, asked for its length once: a proxy may name any length, and another one each time.
 * Throws `TypeError` where it is no list, or holds more than `most`.
 */
export function listFrom(value: unknown, most = MOST_ITEMS): unknown[] {
  if (!Array.isArray(value)) throw new TypeError('no list');
  const { length } = value;
  if (length > most) throw new TypeError(`a list of ${length}; at most ${most}`);
  return Array.from({ length }, (_, index) => value[index] as unknown);
}

/** An object literal of any realm, or what JSON was parsed to: no bytes, no address, no instance of a class. */
export function isPlain(value: object): value is Readonly<Record<string, unknown>> {
  const prototype = Object.getPrototypeOf(value) as object | null;
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}

function copyOf(value: unknown, options: CopyOptions, depth: number): unknown {
  if (typeof value === 'bigint') throw new NotCopyable(BIGINT);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > DEEPEST) throw new NotCopyable(TOO_DEEP);
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
    // What a class holds is written as the class writes it, which was tried.
    const within = options.stored === true ? { ...options, stored: false } : options;
    return options.instance?.(value, (inner) => copyOf(inner, within, depth + 1)) ?? value;
  }
  // A spread gives every copy that is frozen a hidden class of its own; an assignment would set the prototype.
  const copy: Record<string, unknown> =
    options.freeze === true && !Object.hasOwn(value, '__proto__') ? Object.assign({}, value) : { ...value };
  if (options.stored === true && typeof copy.toJSON === 'function') tryJson(value);
  for (const key in copy) {
    const inner = copy[key];
    if (typeof inner === 'object' || typeof inner === 'bigint') copy[key] = copyOf(inner, options, depth + 1);
  }
  return options.freeze === true ? Object.freeze(copy) : copy;
}

/** What throws here would throw each time that its message is stored. */
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
