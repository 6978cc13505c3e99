import { endOfString, parseJson, setOwn } from './json.js';
import type { Steps } from './steps.js';

/** A shorter text is parsed in about a millisecond. */
const AT_ONCE_CHARS = 131_072;
/** Lists and objects down to this level are read member by member: a body, its messages, a message, its content. */
const MAX_DEPTH = 4;
/** Characters outside of strings that are read between two pauses. */
const SIGNS_PER_PAUSE = 16_384;

const BLANK = /^[ \t\n\r]*$/;

/** As `parseJson`, a few members of a list or object at a time. `parseJson` gets malformed text, to throw its error. */
export function* parsingJson(text: string, depth = 0): Steps<unknown> {
  const opened = text.length > AT_ONCE_CHARS && depth < MAX_DEPTH ? /^[ \t\n\r]*([[{])/.exec(text) : null;
  if (!opened) return parseJson(text);
  const [head, open] = opened as unknown as [string, string];
  const isList = open === '[';
  const list: unknown[] = [];
  const fields: Record<string, unknown> = {};
  const parse = (from: number, to: number): boolean => {
    const members = text.slice(from, to);
    const parsed = parseJson(open + members + (isList ? ']' : '}')) as object;
    if (Array.isArray(parsed)) for (const member of parsed as unknown[]) list.push(member);
    else for (const [key, member] of Object.entries(parsed)) setOwn(fields, key, member);
    return !BLANK.test(members);
  };
  let from = head.length;
  for (let start = from, isLast = false; !isLast;) {
    const end = yield* endOfMember(text, start);
    isLast = text[end] !== ',';
    if (isLast && text[end] !== (isList ? ']' : '}')) return parseJson(text);
    if (end - start > AT_ONCE_CHARS) {
      if (from < start && !parse(from, start - 1)) return parseJson(text);
      const value = isList ? start : valueOf(text, start);
      if (value < 0 || BLANK.test(text.slice(value, end))) return parseJson(text);
      const member = yield* parsingJson(text.slice(value, end), depth + 1);
      if (isList) list.push(member);
      else setOwn(fields, JSON.parse(text.slice(start, value - 1)) as string, member);
      from = end + 1;
    } else if (isLast || end - from > AT_ONCE_CHARS / 2) {
      if (!parse(from, end) && from > head.length) return parseJson(text);
      from = end + 1;
      yield;
    }
    start = end + 1;
  }
  return BLANK.test(text.slice(from)) ? (isList ? list : fields) : parseJson(text);
}

/** Index of the character that ends the member which begins at `start`; the text's length if there is none. */
function* endOfMember(text: string, start: number): Steps<number> {
  let depth = 0;
  for (let at = start, signs = 1; at < text.length; signs++) {
    const sign = text[at];
    if (sign === '"') at = endOfString(text, at);
    else if (depth === 0 && (sign === ',' || sign === ']' || sign === '}')) return at;
    else {
      if (sign === '[' || sign === '{') depth++;
      else if (sign === ']' || sign === '}') depth--;
      at++;
    }
    if (signs % SIGNS_PER_PAUSE === 0) yield;
  }
  return text.length;
}

/** Index at which the value of a field begins whose name begins at `start`; -1 if there is no name. */
function valueOf(text: string, start: number): number {
  let at = start;
  while (BLANK.test(text[at]!)) at++;
  if (text[at] !== '"') return -1;
  at = endOfString(text, at);
  while (at < text.length && BLANK.test(text[at]!)) at++;
  return text[at] === ':' ? at + 1 : -1;
}
