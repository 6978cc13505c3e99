import { createHash } from 'node:crypto';

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

/** What `keyOf` was given, unless it was hashed. */
export function textOfKey(key: string): string | undefined {
  return key.startsWith(HASHED) ? undefined : readText(key);
}
