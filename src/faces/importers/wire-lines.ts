import type { Notice, WireFormat } from '../../spi/index.js';
import { isFields, kindOf } from '../../formats/index.js';
import { isBody, isItem, readWire, wireOf } from './recognise.js';
import type { ImportedSession, SessionReader } from './recording.js';

interface WireFile {
  /** The format that the user named. */
  readonly expected?: WireFormat | undefined;
  /** One of the first lines is a message: what is none among them is skipped, and named. */
  readonly isHopeful: boolean;
  /** The error where it is nothing that is known. */
  readonly unknown: (found: string) => Error;
}

/** Lines that no recording has: messages of some wire format, one a line, or a single line that holds a whole request. */
export class WireLines implements SessionReader {
  readonly #file: WireFile;
  readonly #items: unknown[] = [];
  readonly #bodies: unknown[] = [];
  readonly #notices: Notice[] = [];

  constructor(file: WireFile) {
    this.#file = file;
  }

  take(value: unknown, line: number): void {
    const { expected, isHopeful, unknown } = this.#file;
    const isTaken = isHopeful || expected !== undefined;
    if (!isFields(value) || value.kind === 'meta') {
      const what = isFields(value) ? 'a meta line' : kindOf(value);
      this.#notices.push({ at: `line ${line}`, kind: 'not-a-message', what: `${what}; skipped` });
      if (!isFields(value) && !isTaken) throw unknown(what);
    } else if (isBody(value) || wireOf(value)) this.#bodies.push(value);
    else if (isTaken || this.#items.length > 0 || isItem(value)) this.#items.push(value);
    else throw unknown(objectWith(value));
  }

  finish(): ImportedSession {
    const { expected, unknown } = this.#file;
    const [bodies, items] = [this.#bodies.length, this.#items.length];
    if (bodies > 1 || (bodies === 1 && items > 0))
      throw unknown(`${bodies} whole requests and ${items} messages, which are not one session,`);
    const session = readWire(this.#bodies[0] ?? this.#items, expected)!;
    const { parsed, taken } = session;
    return {
      parsed: { ...parsed, notices: [...this.#notices, ...parsed.notices] },
      taken: bodies === 1 ? taken! : { ...taken!, mark: 'its lines are messages in this format' },
    };
  }
}

/** By its first few fields, as a person reads them. */
export const objectWith = (value: object): string =>
  `an object with ${Object.keys(value).slice(0, 5).join(', ') || 'no fields'}`;
