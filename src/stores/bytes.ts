import { writeJson, type LogMessage } from '../transcript/index.js';
import { createHash } from 'node:crypto';

/** Where in a message bytes were, which class they had, and they themselves as base64. */
type Bytes = readonly [
  path: readonly (string | number)[],
  kind: 'Uint8Array' | 'ArrayBuffer',
  base64: string,
];

/** The field beside a message's own that holds its bytes; nothing a client sends is on that level. */
const FIELD = '$bytes';

/**
 * A message as JSON text. What some clients send as bytes (the AI SDK's images) JSON would write as an object with a field
 * for each byte, 13 times the size, and no bytes any more when it is read.
 */
export function messageText(message: LogMessage): string {
  const found: Bytes[] = [];
  const plain = withoutBytes(message, [], found);
  return writeJson(found.length === 0 ? message : { ...(plain as LogMessage), [FIELD]: found })!;
}

/** What `messageText` wrote, parsed: with its bytes where they were. */
export function withBytes<T>(parsed: T): T {
  if (typeof parsed !== 'object' || parsed === null || !Object.hasOwn(parsed, FIELD)) return parsed;
  const { [FIELD]: found, ...message } = parsed as Record<string, unknown>;
  for (const [path, kind, base64] of found as readonly Bytes[]) {
    let holder: Record<string | number, unknown> = message;
    for (const key of path.slice(0, -1)) holder = holder[key] as typeof holder;
    const bytes = Uint8Array.from(Buffer.from(base64, 'base64'));
    holder[path.at(-1)!] = kind === 'ArrayBuffer' ? bytes.buffer : bytes;
  }
  return message as T;
}

/** The same value with null in the place of bytes; the very object where there are none. */
function withoutBytes(value: unknown, path: readonly (string | number)[], found: Bytes[]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array || value instanceof ArrayBuffer) {
    const isBuffer = value instanceof ArrayBuffer;
    const bytes = isBuffer
      ? Buffer.from(value)
      : Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    found.push([path, isBuffer ? 'ArrayBuffer' : 'Uint8Array', bytes.toString('base64')]);
    return null;
  }
  // An instance says itself how it is written.
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') return value;
  let copy: Record<string | number, unknown> | undefined;
  for (const key of Object.keys(value)) {
    const inner = (value as Record<string, unknown>)[key];
    if (typeof inner !== 'object' || inner === null) continue;
    const plain = withoutBytes(inner, [...path, Array.isArray(value) ? Number(key) : key], found);
    if (plain === inner) continue;
    copy ??= shallowCopy(value);
    copy[key] = plain;
  }
  return copy ?? value;
}

function shallowCopy(value: object): Record<string | number, unknown> {
  const copy: object = Array.isArray(value) ? [...(value as readonly unknown[])] : { ...value };
  return copy as Record<string | number, unknown>;
}

/** What databases do not take in a text (NUL, half a surrogate pair), and the sign it is written with. */
const UNWRITABLE = /[\0\\]|\p{Surrogate}/gu;
const WRITTEN = /\\u([0-9a-f]{4})/g;

/** An id as a database takes it: `a\0b` becomes `a\u0000b`. Bodies need none of it: JSON does the same to them. */
export function writeText(text: string): string {
  return text.replace(UNWRITABLE, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

export function readText(written: string): string {
  return written.replace(WRITTEN, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** PostgreSQL indexes values up to 2,700 bytes; this many characters stay below it in any script. */
const MAX_KEY_CHARS = 512;
const HASHED = '#sha256:';

/** What a row is found by: the text itself, or its hash where it is too long to be indexed. */
export function keyOf(text: string): string {
  if (text.length <= MAX_KEY_CHARS && !text.startsWith(HASHED)) return writeText(text);
  // UTF-16, so that two halves of different pairs differ too.
  return HASHED + createHash('sha256').update(Buffer.from(text, 'utf16le')).digest('hex');
}
