import { writeJson, type LogMessage } from '../transcript/index.js';
import { createHash } from 'node:crypto';

/** The path of bytes in a message, their class, and the bytes themselves as base64. */
type Bytes = readonly [
  path: readonly (string | number)[],
  kind: 'Uint8Array' | 'ArrayBuffer',
  base64: string,
];

/** The field of a stored message that holds its bytes; no client data is on this level. */
const FIELD = '$bytes';

/**
 * A message as JSON text. Some clients send bytes (the AI SDK's images). Plain JSON would write them as an object with
 * a field for each byte, 13 times the size, which is no bytes any more when it is read.
 */
export function messageText(message: LogMessage): string {
  const found: Bytes[] = [];
  const plain = withoutBytes(message, [], found);
  return writeJson(found.length === 0 ? message : { ...(plain as LogMessage), [FIELD]: found })!;
}

/** The parsed text of `messageText`, with its bytes back in their places. */
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

/** The same value with null in place of bytes; the very object if there are no bytes. */
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
  // An instance defines by `toJSON` how it is written.
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

/** Characters that databases refuse in a text (NUL, half a surrogate pair), and the escape character. */
const UNWRITABLE = /[\0\\]|\p{Surrogate}/gu;
const ESCAPED = /\\u([0-9a-f]{4})/g;

/** An id as a database accepts it: `a\0b` becomes `a\u0000b`. Bodies need no escape, because JSON escapes the same. */
export function writeText(text: string): string {
  return text.replace(UNWRITABLE, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

export function readText(written: string): string {
  return written.replace(ESCAPED, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** PostgreSQL indexes values up to 2,700 bytes; this many characters stay below it in any script. */
const MAX_KEY_CHARS = 512;
const HASHED = '#sha256:';

/** The key of a row: the text itself, or its hash if the text is too long to be indexed. */
export function keyOf(text: string): string {
  if (text.length <= MAX_KEY_CHARS && !text.startsWith(HASHED)) return writeText(text);
  // UTF-16, so that halves of different surrogate pairs differ too.
  return HASHED + createHash('sha256').update(Buffer.from(text, 'utf16le')).digest('hex');
}
