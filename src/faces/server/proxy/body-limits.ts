import type { IncomingHttpHeaders } from 'node:http';
import { SpillwayError } from '../../../errors/index.js';
import { isFields, type Fields } from '../../../formats/index.js';
import { inSlices } from '../../../session/index.js';
import { parsingJson, type Steps } from '../../../transcript/index.js';

/**
 * Whether bytes are text that this service cannot read but the upstream may: compressed, according to their header, or
 * UTF-16 or UTF-32, according to their first bytes.
 */
export function isEncoded({ 'content-encoding': encoding }: IncomingHttpHeaders, bytes: Buffer): boolean {
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity') return true;
  const [first, second] = bytes;
  return (
    (first === 0xff && second === 0xfe) ||
    (first === 0xfe && second === 0xff) ||
    bytes.subarray(0, 4).includes(0)
  );
}

/** The bytes without a UTF-8 byte order mark, which is not allowed in JSON. */
const withoutMark = (bytes: Buffer): Buffer =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;

/**
 * Limits of a body that is read here. No conversation has more, and some step handles each of these without a pause. A
 * list of the body has its messages or its tools; one message or tool with 20,000 values takes about 30 ms.
 */
const MAX = { values: 1_000_000, ofList: 100_000, ofOne: 20_000, levels: 500 } as const;

const ALLOWED = `${MAX.values} values in all, ${MAX.ofList} in a list of the body, ${MAX.ofOne} in one of these or outside of them, ${MAX.levels} levels`;

/** Bytes that are scanned between two pauses: one or two milliseconds. */
const SLICE_BYTES = 1_048_576;

const [QUOTE, BACKSLASH, COMMA, LIST, LIST_END, FIELDS, FIELDS_END] = Buffer.from('"\\,[]{}');

/** Counts the contents of a JSON body before the body is parsed. Throws `INPUT_FORMAT` if they are above the limits. */
function* checkLimits(bytes: Buffer): Steps<void> {
  let values = 0;
  /** Number of the body's fields, of the values in its current list, and of the values in one item of that list. */
  const counts = [0, 0, 0];
  let level = 0;
  let isList = false;
  let isText = false;
  for (let at = 0, pause = SLICE_BYTES; at < bytes.length; at++) {
    if (at >= pause) {
      pause += SLICE_BYTES;
      yield;
    }
    const sign = bytes[at];
    if (isText) {
      if (sign === BACKSLASH) at++;
      else if (sign === QUOTE) isText = false;
    } else if (sign === QUOTE) isText = true;
    else if (sign === LIST_END || sign === FIELDS_END) level--;
    else if (sign === COMMA || sign === LIST || sign === FIELDS) {
      values++;
      if (sign !== COMMA && ++level === 2) isList = sign === LIST;
      const depth = level === 1 ? 0 : level === 2 && isList ? 1 : 2;
      counts[depth]!++;
      counts.fill(0, depth + 1);
      if (level > MAX.levels) throw tooMuch(`more than ${MAX.levels} levels`);
      if (values > MAX.values) throw tooMuch(`more than ${MAX.values} values`);
      if (counts[1]! > MAX.ofList) throw tooMuch(`more than ${MAX.ofList} values in a list`);
      if (counts[0]! > MAX.ofOne || counts[2]! > MAX.ofOne)
        throw tooMuch(`more than ${MAX.ofOne} values in one message, tool or field`);
    }
  }
}

function tooMuch(found: string): SpillwayError {
  return new SpillwayError('INPUT_FORMAT', {
    subject: 'body',
    found,
    allowed: ALLOWED,
    remedy: 'Send a conversation with fewer, or ask the provider itself.',
  });
}

/** Undefined if the body is no JSON object. Rejects with `INPUT_FORMAT` if it is above the limits. */
export async function bodyIn(raw: unknown): Promise<Fields | undefined> {
  if (!Buffer.isBuffer(raw)) return undefined;
  await inSlices(checkLimits(raw));
  try {
    const body = await inSlices(parsingJson(withoutMark(raw).toString('utf8')));
    return isFields(body) && !Array.isArray(body) ? body : undefined;
  } catch {
    return undefined;
  }
}
