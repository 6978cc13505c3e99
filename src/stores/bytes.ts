import { writeJson, type LogMessage } from '../transcript/index.js';

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
