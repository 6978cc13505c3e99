import { textOf, type LogMessage, type ReadonlyLog } from '../transcript/index.js';
import type { Redact } from './redact.js';

/** A shorter secret, or one without a digit, may be an everyday word: it is only taken out where it is assigned. */
const LEAST_CHARS = 8;
/** Lines of a longer secret, a private key, are found one by one. */
const LINE_CHARS = 16;
/** A session that holds more secrets holds something else; the newest are known. */
const MOST = 2_000;
/** A text is drawn, priced and taken in, and each asks again: so much of the last ones is known. In characters. */
const MOST_CLEANED_CHARS = 1_000_000;

/**
 * The secrets of a log. Text made from it may hold one without what gave it away (`PASSWORD=` before it, `BEGIN` above
 * it), so what was recognised once is known from then on. Reads the log as it grows; keeps no text
 * of it but the secrets, and the last texts that were made from it.
 */
export class SecretBook {
  readonly #log: ReadonlyLog;
  readonly #redact: Redact;
  readonly #known = new Set<string>();
  /** What the newest texts came to, by text, with what was known then. */
  readonly #cleaned = new Map<string, string>();
  #cleanedChars = 0;
  #joined: string | undefined;
  #next = 0;

  constructor(log: ReadonlyLog, redact: Redact) {
    this.#log = log;
    this.#redact = redact;
  }

  catchUp(): void {
    for (; this.#next < this.#log.length; this.#next++) this.#read(this.#log.at(this.#next));
  }

  /** A text made from the log, without its secrets. */
  readonly redact = (text: string): string => {
    let cleaned = this.#cleaned.get(text);
    if (cleaned !== undefined) return cleaned;
    cleaned = this.#withoutSecrets(text);
    if (this.#cleanedChars + text.length > MOST_CLEANED_CHARS) this.#forgetCleaned();
    this.#cleanedChars += text.length;
    this.#cleaned.set(text, cleaned);
    return cleaned;
  };

  /** Whether a word by itself is a secret, or a piece of one. */
  readonly holds = (word: string): boolean => {
    if (this.#known.size === 0 || word.length < LEAST_CHARS) return false;
    this.#joined ??= [...this.#known].join('\n');
    return this.#joined.includes(word);
  };

  #forgetCleaned(): void {
    this.#cleaned.clear();
    this.#cleanedChars = 0;
  }

  #withoutSecrets(text: string): string {
    let cleaned = this.#redact(text).text;
    for (const secret of this.#known)
      if (cleaned.includes(secret)) cleaned = cleaned.replaceAll(secret, '[secret removed]');
    return cleaned;
  }

  #read(message: LogMessage): void {
    for (const part of message.parts) {
      const text = part.type === 'tool-call' ? part.arguments : textOf(part);
      if (text.length < LEAST_CHARS) continue;
      for (const secret of this.#redact(text).secrets) this.#learn(secret);
    }
  }

  #learn(secret: string): void {
    const pieces = secret.length > 100 ? secret.split(/\s+|\\[nr]/) : [secret];
    for (const piece of pieces) {
      const isLine = pieces.length > 1;
      if (isLine ? piece.length < LINE_CHARS || piece.startsWith('-----') : !isTelling(piece)) continue;
      if (this.#known.size >= MOST) this.#known.delete(this.#known.values().next().value!);
      this.#known.add(piece);
      this.#joined = undefined;
      this.#forgetCleaned();
    }
  }
}

/** Not a word that stands elsewhere for other reasons. */
function isTelling(secret: string): boolean {
  if (secret.length < LEAST_CHARS) return false;
  return secret.length >= 24 || (/\d/.test(secret) && /\p{L}/u.test(secret));
}
