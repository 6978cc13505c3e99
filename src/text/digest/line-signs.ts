/** What stands in every line that has a sign, as bits: told for all of them in one pass, where patterns take one each. */
const FAILURE = 1;
const ID = 2;
const SLASH = 4;
const JOINED = 8;

interface Sign {
  readonly weight: number;
  readonly pattern: RegExp;
  /** 0: asked of every line. */
  readonly needs: number;
}

/** What makes a line worth keeping, best first. */
export const SIGNS: readonly Sign[] = [
  {
    weight: 5,
    needs: FAILURE,
    pattern: /\b(?:error|exception|panic|fatal|traceback|fail(?:ed|ure|ing)?)\b|\w(?:Error|Exception)\b/i,
  },
  {
    weight: 4,
    needs: ID,
    pattern:
      /\b[0-9a-f]{8}-[0-9a-f]{4}-|\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b|#\d{2,}\b|\b[A-Z]{2,}-\d+\b/,
  },
  {
    weight: 3,
    needs: SLASH,
    pattern: /https?:\/\/\S|(?:^|[\s"'(`=:])[\w.~@-]*\/[\w./@-]*\.\w{1,8}\b/,
  },
  {
    weight: 2,
    needs: 0,
    pattern:
      /^\s*(?:\d+[\s:|→]*)?(?:export |public |private |static |async |pub )*(?:function|class|interface|type|enum|def|fn|func|struct|trait|impl|const|module)\s+\w/,
  },
  { weight: 1, needs: JOINED, pattern: /\b(?:[a-z]+[A-Z]\w+|[a-z]+_[a-z]\w+)\b/ },
];

/** Of a text that is only shown: its headings, and what it declares before what it mentions. */
const HEADING = /^(?:\s{0,8}\d{1,6}[\s:|→]{1,3})?#{1,4} \S/;
const HEADING_WEIGHT = 5;

/** How much a line is worth; `has`: what `visitLines` said of it; `isLook`: what it says of failures is what stands in a file. */
export function weightOf(line: string, has: number, isLook = false): number {
  let weight = isLook && HEADING.test(line) ? HEADING_WEIGHT : 0;
  for (const { weight: worth, needs, pattern } of SIGNS)
    if ((has & needs) === needs && !(isLook && needs === FAILURE) && pattern.test(line))
      weight += isLook && needs === 0 ? 2 * worth : worth;
  return weight;
}

/** Kinds of ASCII characters; `END`: may be the last of a piece of a word for a failure. */
const HEX = 1;
const DIGIT = 2;
const UPPER = 4;
const LOWER = 8;
const END = 16;
const KINDS = new Uint8Array(128);
KINDS.fill(DIGIT | HEX, 48, 58);
KINDS.fill(UPPER, 65, 91);
KINDS.fill(LOWER, 97, 123);
KINDS.fill(LOWER | HEX, 97, 103);
for (const letter of 'rctinbRCTINB') KINDS[letter.charCodeAt(0)]! |= END;

/** Of a line this much is looked at and shown, in characters: a longer one is data, not a line. */
export const LINE_CHARS = 240;

/** A text is read in pieces of this many characters. Reading units from an array is faster than asking the string. */
const PIECE_CHARS = 1 << 16;
const scratch = Buffer.alloc(2 * PIECE_CHARS);
const units = new Uint16Array(scratch.buffer, scratch.byteOffset, PIECE_CHARS);

/** Every line of a text, in order, with what it has of what signs need; `has` may say too much, never too little. */
export function visitLines(text: string, visit: (line: string, has: number) => void): void {
  let read = 0;
  let readTo = 0;
  for (let from = 0; ;) {
    const found = text.indexOf('\n', from);
    const to = found < 0 ? text.length : found;
    const end = Math.min(to, from + LINE_CHARS);
    if (end > readTo) {
      read = from;
      readTo = Math.min(text.length, from + PIECE_CHARS);
      scratch.write(text.slice(read, readTo), 0, 'utf16le');
    }
    visit(text.slice(from, to), marksOf(from - read, end - read));
    if (found < 0) return;
    from = found + 1;
  }
}

function marksOf(from: number, end: number): number {
  let has = 0;
  let hex = 0;
  /** The character before and the one before that, and the kind of each. */
  let [one, two, oneKind, twoKind] = [0, 0, 0, 0];
  for (let i = from; i < end; i++) {
    const unit = units[i]!;
    const kind = unit < 128 ? KINDS[unit]! : 0;
    hex = kind & HEX ? hex + 1 : 0;
    if (hex === 7) has |= ID;
    if (kind & DIGIT) {
      // `AB-1`, `#12`
      if ((one === 45 && twoKind & UPPER) || (oneKind & DIGIT && two === 35)) has |= ID;
    } else if (unit === 47) has |= SLASH;
    else if (oneKind & LOWER && (kind & UPPER || unit === 95)) has |= JOINED;
    if (kind & END && endsFailure(unit | 32, one | 32, two | 32)) has |= FAILURE;
    two = one;
    twoKind = oneKind;
    one = unit;
    oneKind = kind;
  }
  return has;
}

/** `err`or, e`xc`eption, `pan`ic, `fat`al, `fai`l, tra`ceb`ack: letters in lowercase, the last one first. */
function endsFailure(last: number, one: number, two: number): boolean {
  switch (last) {
    case 114: // r
      return one === 114 && two === 101;
    case 99: // c
      return one === 120;
    case 110: // n
      return one === 97 && two === 112;
    case 98: // b
      return one === 101 && two === 99;
    default: // i, t
      return one === 97 && two === 102;
  }
}
