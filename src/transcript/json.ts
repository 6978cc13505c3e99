/**
 * A number in a JSON text that the runtime would write differently: 20 digits, `1e400`, `-0`, `1.0`. In arithmetic it
 * is the nearest double; `writeJson` writes the original digits.
 */
export class NumberLiteral extends Number {
  readonly literal: string;

  constructor(literal: string) {
    super(literal);
    this.literal = literal;
    Object.freeze(this);
  }

  /** The value for other JSON writers: the nearest double, or null if the number is infinite. */
  toJSON(): unknown {
    metLiteral = true;
    return mark === undefined ? Number(this.literal) : mark + this.literal;
  }
}

/** Whether a value is an object with fields: no list and no `NumberLiteral`. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof NumberLiteral)
  );
}

/** The object in a JSON text; undefined if the text is not a JSON object. */
export function objectIn(
  text: string,
  parse: (text: string) => unknown = JSON.parse,
): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** `mark` precedes literals while `writeJson` runs; `metLiteral`: it met one. Writing is one synchronous call. */
let mark: string | undefined;
let metLiteral = false;

/**
 * Parses JSON, with a `NumberLiteral` for each number that a double would not write back digit by digit. Throws
 * `SyntaxError` as `JSON.parse` does.
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const places = literalsIn(text);
  if (places.length === 0) return value;
  let quoted = '';
  let at = 0;
  for (const [start, end] of places) {
    quoted += `${text.slice(at, start)}"${text.slice(start, end)}"`;
    at = end;
  }
  const holder = { value };
  putLiterals(holder, { value: JSON.parse(quoted + text.slice(at)) as unknown });
  return holder.value;
}

/**
 * The most levels in a text of a model or tool. Its readers recurse once per level, or the value is put into a request,
 * which holds 500 levels in all. A text of 30 kB may nest deeper than the stack allows.
 */
const MAX_LEVELS = 400;

/** As `parseJson`, for texts of models and tools. Throws `SyntaxError` too if a text nests too deep to be rewritten. */
export function parseSaid(text: string): unknown {
  if (nestsTooDeep(text)) throw new SyntaxError(`more than ${MAX_LEVELS} levels`);
  return parseJson(text);
}

function nestsTooDeep(text: string): boolean {
  // Each level is opened and closed by one character.
  if (text.length <= 2 * MAX_LEVELS) return false;
  const signs = /["[\]{}]/g;
  let levels = 0;
  for (let found = signs.exec(text); found; found = signs.exec(text)) {
    const [sign] = found;
    if (sign === '"') signs.lastIndex = endOfString(text, found.index);
    else if (sign === '[' || sign === '{') levels++;
    else levels--;
    if (levels > MAX_LEVELS) return true;
  }
  return false;
}

/** As `JSON.stringify`, with every `NumberLiteral` as it was written. Undefined if JSON cannot represent the value. */
export function writeJson(value: unknown, indent?: number): string | undefined {
  metLiteral = false;
  const text = JSON.stringify(value, undefined, indent) as string | undefined;
  if (text === undefined || !metLiteral) return text;
  mark = markNotIn(text);
  try {
    return JSON.stringify(value, undefined, indent).replaceAll(
      new RegExp(`"${mark}([^"]*)"`, 'g'),
      (_, literal: string) => literal,
    );
  } finally {
    mark = undefined;
  }
}

/** A text that does not occur in `text`, so that every string that begins with it is a marked literal. */
function markNotIn(text: string): string {
  for (let count = 0; ; count++) {
    const found = `number as written ${count}: `;
    if (!text.includes(found)) return found;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Places of the numbers that the runtime would write differently. `text` must be valid JSON. */
function literalsIn(text: string): readonly (readonly [start: number, end: number])[] {
  const found: [number, number][] = [];
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (isOfNumber(code) && !isLetter(code)) {
      let end = at + 1;
      while (isOfNumber(text.charCodeAt(end))) end++;
      if (!isWrittenBack(text, at, end)) found.push([at, end]);
      at = end;
    } else at++;
  }
  return found;
}

/** A double represents every whole number of up to this many digits exactly. */
const SURE_DIGITS = 15;

function isWrittenBack(text: string, start: number, end: number): boolean {
  const literal = text.slice(start, end);
  if (literal.length <= SURE_DIGITS && literal !== '-0' && !/[.e]/i.test(literal)) return true;
  return String(Number(literal)) === literal;
}

/** The index after the quotation mark that closes the string which opens at `start`. */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end > 0; end = text.indexOf('"', end + 1)) {
    let slashes = end - 1;
    while (text.charCodeAt(slashes) === BACKSLASH) slashes--;
    if ((end - slashes) % 2 === 1) return end + 1;
  }
  return text.length;
}

/** Digits, sign, point and exponent. */
function isOfNumber(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || code === 0x2d || code === 0x2e || code === 0x2b || isLetter(code);
}

/** `e` and `E`: an exponent inside a number; outside, a letter of `true` or `false`. */
const isLetter = (code: number): boolean => code === 0x65 || code === 0x45;

type Holder = Record<string, unknown>;

/**
 * Puts a literal at each place that has a number in `root` and a string in `quoted`; both have the same structure. The
 * loop does not recurse, because parsed values may nest deeper than the stack allows.
 */
function putLiterals(root: Holder, quoted: Holder): void {
  const open: [Holder, Holder][] = [[root, quoted]];
  for (let pair = open.pop(); pair; pair = open.pop()) {
    const [holder, written] = pair;
    for (const key of Object.keys(holder)) {
      const [value, literal] = [holder[key], written[key]];
      if (typeof value === 'object' && value !== null) open.push([value as Holder, literal as Holder]);
      else if (typeof value === 'number' && typeof literal === 'string')
        setOwn(holder, key, new NumberLiteral(literal));
    }
  }
}

/** Sets a field of any name: a plain assignment to `__proto__` would set the prototype. */
export function setOwn(holder: Holder, key: string, value: unknown): void {
  if (key !== '__proto__') holder[key] = value;
  else Object.defineProperty(holder, key, { value, writable: true, enumerable: true, configurable: true });
}
