import { textOf, type LogFold, type Message, type Steps } from '../../../transcript/index.js';
import type { Redact } from './redact.js';

/** A shorter secret, or one without a digit, may be an everyday word: it is only taken out where it is assigned. */
const LEAST_CHARS = 8;
/** Lines of a longer secret, a private key, are found one by one. */
const LINE_CHARS = 16;
/** A session that holds more secrets holds something else; the newest are known. */
const MOST_SECRETS = 2_000;

/**
 * The secrets of a log. Text made from it may hold one without what gave it away (`PASSWORD=` before it, `BEGIN` above
 * it), so what was recognised once is known from then on. What the user or an operator says in words of their own is no
 * secret because a tool assigns it to a name that sounds like one: else a web page could blank the user's rules. Reads
 * the log as it grows; keeps the secrets, and the words of users and operators.
 */
export class SecretBook implements LogFold {
  readonly #redact: Redact;
  readonly #known = new Set<string>();
  /** Of these, the ones that a user or an operator called so: to say them again does not make them words. */
  readonly #theirs = new Set<string>();
  /** Texts of users and operators, without the secrets in them. */
  readonly #said: string[] = [];

  constructor(redact: Redact) {
    this.#redact = redact;
  }

  /** A text made from the log, without its secrets and without words that look random. */
  readonly redact = (text: string): string =>
    this.hide(text).replaceAll(LONG_WORD, (word) =>
      isRandomWord(word) && !this.#wasSaid(word) ? '[random word removed]' : word,
    );

  /** A text of the log itself, read back: without what is known for a secret, and with words that only look random. */
  readonly hide = (text: string): string => {
    let hidden = this.#redact(text).text;
    const found = [...this.#known].filter((secret) => hidden.includes(secret));
    // The longest first: the rest of it would stand where a shorter one that it holds was taken out.
    for (const secret of found.sort((a, b) => b.length - a.length))
      hidden = hidden.replaceAll(secret, '[secret removed]');
    return hidden;
  };

  #wasSaid(word: string): boolean {
    return this.#said.some((text) => text.includes(word));
  }

  *read(message: Message): Steps<void> {
    const isTheirs = message.role === 'system' || (message.role === 'user' && message.origin === 'user');
    for (const part of message.parts) {
      const text = part.type === 'tool-call' ? part.arguments : textOf(part);
      if (text.length < LEAST_CHARS) continue;
      const { text: clean, secrets } = yield* this.#redact.inSteps(text);
      const isSaid = isTheirs && part.type === 'text';
      if (isSaid) yield* this.#hear(clean);
      for (const secret of [...new Set(secrets)].slice(-MOST_SECRETS)) {
        this.#learn(secret, isSaid);
        yield;
      }
    }
  }

  /** Takes note of what a user or an operator says; what a tool made look like a secret before is none. */
  *#hear(text: string): Steps<void> {
    this.#said.push(text);
    for (const secret of this.#known) {
      if (text.includes(secret) && !this.#theirs.has(secret)) this.#known.delete(secret);
      yield;
    }
  }

  #forgetOldest(): void {
    const oldest = this.#known.values().next().value!;
    this.#known.delete(oldest);
    this.#theirs.delete(oldest);
  }

  #learn(secret: string, isTheirs: boolean): void {
    const pieces = secret.length > 100 ? secret.split(/\s+|\\[nr]/) : [secret];
    for (const piece of pieces) {
      const isLine = pieces.length > 1;
      if (isLine ? piece.length < LINE_CHARS || piece.startsWith('-----') : !isTelling(piece)) continue;
      if (this.#wasSaid(piece)) continue;
      if (this.#known.size >= MOST_SECRETS) this.#forgetOldest();
      this.#known.add(piece);
      if (isTheirs) this.#theirs.add(piece);
    }
  }
}

/** Not a word that stands elsewhere for other reasons. */
function isTelling(secret: string): boolean {
  if (secret.length < LEAST_CHARS) return false;
  return secret.length >= 24 || (/\d/.test(secret) && /\p{L}/u.test(secret));
}

/** Shorter words that look random are ids, versions and abbreviations more often than keys. */
const LEAST_RANDOM_CHARS = 20;
/** Longer runs are encoded files. */
const MOST_RANDOM_CHARS = 512;
/** Of neighbours, so many are of another kind: chance makes 0.62 of them (letters of both cases and digits), camel case 0.3. */
const LEAST_CHANGES = 0.42;
const LEAST_DIGIT_GROUPS = 3;
/** What hyphens part is a name with a date and a number in it; chance puts one sign in 32 of a key. */
const MOST_JOINTS = 3;

/** `toolu_…`, `PRRC_…`, `ses_…`: an id that says what it is of, and that a later call may need. */
const TYPED = /^[a-z]{2,12}_/i;

/**
 * Whether nobody would have chosen a word: letters of both cases and digits, so mixed as only chance mixes them. Hashes
 * and UUIDs, which are written in one case, are not: programs print them for everybody.
 */
function isRandomWord(word: string): boolean {
  if (word.length > MOST_RANDOM_CHARS || TYPED.test(word)) return false;
  const letters = word.replaceAll(/[+=_-]/g, '');
  if (letters.length < LEAST_RANDOM_CHARS || word.length - letters.length > MOST_JOINTS) return false;
  const isMixed = /[a-z]/.test(word) && /[A-Z]/.test(word) && /\d/.test(word);
  const changes = (word.match(/[a-z]+|[A-Z]+|\d+|[+=_-]+/g) ?? []).length - 1;
  const groups = word.match(/\d+/g) ?? [];
  return isMixed && groups.length >= LEAST_DIGIT_GROUPS && changes >= LEAST_CHANGES * (word.length - 1);
}

/** The look behind keeps it from trying within a word that is too short. */
const LONG_WORD = new RegExp(`(?<![\\w+=-])[\\w+=-]{${LEAST_RANDOM_CHARS},}`, 'g');
