import { hash } from 'node:crypto';
import { WeakCache } from '../../src/transcript/index.js';

/** By object, so that a message of many requests is read once. No object changes after it is made. */
const known = new WeakCache<object, string>();

/** A short hash of everything that the JSON text of a value holds, order of keys included. */
export function digest(value: unknown): string {
  if (typeof value !== 'object' || value === null) return shortHash(JSON.stringify(value) ?? 'undefined');
  const found = known.get(value);
  if (found !== undefined) return found;
  const made = shortHash(outline(value));
  known.set(value, made);
  return made;
}

/** The value with every object inside it as its hash; undefined stays visible, because a field may be removed by it. */
function outline(value: object): string {
  if (Array.isArray(value)) return `[${value.map(inside).join()}]`;
  const { toJSON } = value as { readonly toJSON?: unknown };
  if (typeof toJSON === 'function') return `=${digest((value as { toJSON(): unknown }).toJSON())}`;
  const entries = Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)}:${inside(inner)}`);
  return `${ArrayBuffer.isView(value) ? 'bytes' : ''}{${entries.join()}}`;
}

function inside(value: unknown): string {
  if (typeof value === 'object' && value !== null) return digest(value);
  return JSON.stringify(value) ?? 'undefined';
}

function shortHash(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 8);
}
