/**
 * A number of a JSON text that the runtime would write otherwise than it was written: 20 digits, `1e400`, `-0`, `1.0`. It
 * reckons as the nearest number there is, and `writeJson` writes it as it was.
 */
export class NumberLiteral extends Number {
  readonly literal: string;

  constructor(literal: string) {
    super(literal);
    this.literal = literal;
    Object.freeze(this);
  }

  /** What any other writer of JSON gets: the nearest number, null beyond all. */
  toJSON(): unknown {
    met = true;
    return mark === undefined ? Number(this.literal) : mark + this.literal;
  }
}

/** An object with fields: no list, and no number as it was written. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof NumberLiteral)
  );
}

/** The object that a text is as JSON; undefined where it is none. */
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

/** How the text that is being written shows numbers, and whether it has any. Writing is one synchronous call. */
let mark: string | undefined;
let met = false;

/**
 * What JSON text says, with a `NumberLiteral` for each number that a double would not write back digit by digit. Throws
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
 * Levels of a text that a model wrote or a tool printed. What is read off it calls itself once a level, or is put into a
 * request, which holds 500 levels in all; a text of 30 kB may nest deeper than the stack goes.
 */
const MOST_LEVELS = 400;

/** As `parseJson`, of what models and tools said. Throws `SyntaxError` too where it nests so deep that nobody could write it anew. */
export function parseSaid(text: string): unknown {
  if (nestsTooDeep(text)) throw new SyntaxError(`more than ${MOST_LEVELS} levels`);
  return parseJson(text);
}

function nestsTooDeep(text: string): boolean {
  // Each level is opened and closed.
  if (text.length <= 2 * MOST_LEVELS) return false;
  const signs = /["[\]{}]/g;
  let levels = 0;
  for (let found = signs.exec(text); found; found = signs.exec(text)) {
    const [sign] = found;
    if (sign === '"') signs.lastIndex = endOfString(text, found.index);
    else if (sign === '[' || sign === '{') levels++;
    else levels--;
    if (levels > MOST_LEVELS) return true;
  }
  return false;
}

/** As `JSON.stringify`, with every `NumberLiteral` as it was written. Undefined for what JSON cannot say. */
export function writeJson(value: unknown, indent?: number): string | undefined {
  met = false;
  const text = JSON.stringify(value, undefined, indent) as string | undefined;
  if (text === undefined || !met) return text;
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

/** Words that stand nowhere in a text: what begins with them there was put there. */
function markNotIn(text: string): string {
  for (let count = 0; ; count++) {
    const found = `number as written ${count}: `;
    if (!text.includes(found)) return found;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Where numbers stand that would be written otherwise. The text is known to be JSON. */
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

/** Up to this many digits a whole number is held, whatever they are. */
const SURE_DIGITS = 15;

function isWrittenBack(text: string, start: number, end: number): boolean {
  const literal = text.slice(start, end);
  if (literal.length <= SURE_DIGITS && literal !== '-0' && !/[.e]/i.test(literal)) return true;
  return String(Number(literal)) === literal;
}

/** Just behind the quotation mark that closes the string that opens at `start`. */
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

/** `e` and `E`: inside a number an exponent, outside of one a letter of `true`. */
const isLetter = (code: number): boolean => code === 0x65 || code === 0x45;

type Holder = Record<string, unknown>;

/**
 * Puts a literal wherever a number stands in one and a text in the other, which are alike but for that. Without calling
 * itself: what the runtime parses may nest deeper than its stack goes.
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

/** An assignment to `__proto__` would set something else. */
export function setOwn(holder: Holder, key: string, value: unknown): void {
  if (key !== '__proto__') holder[key] = value;
  else Object.defineProperty(holder, key, { value, writable: true, enumerable: true, configurable: true });
}
