import { textOf, type LogFold, type Message, type Steps } from '../../../transcript/index.js';
import type { Redact } from './redact.js';

/** A shorter secret, or one without a digit, may be an ordinary word: it is only removed where it is assigned. */
const MIN_CHARS = 8;
/** The lines of a longer secret, a private key, are recognised one by one. */
const LINE_CHARS = 16;
/** A session with more secrets contains something else; only the newest are known. */
const MAX_SECRETS = 2_000;

/**
 * The secrets of a log. A text made from the log may contain a secret without its context (`PASSWORD=` before it,
 * `BEGIN` above it), so a secret that was recognised once stays known. A word in a user's or operator's own text is no
 * secret just because a tool assigns it to a secret-like name: otherwise a web page could erase the user's rules. Reads
 * the log as it grows; keeps the secrets, and the texts of users and operators.
 */
export class SecretBook implements LogFold {
  readonly #redact: Redact;
  readonly #known = new Set<string>();
  /** The known secrets that a user or an operator named: a repetition does not make them ordinary words. */
  readonly #userSecrets = new Set<string>();
  /** Texts of users and operators, without the secrets in them. */
  readonly #userTexts: string[] = [];

  constructor(redact: Redact) {
    this.#redact = redact;
  }

  /** A text made from the log, without its secrets and without words that look random. */
  readonly redact = (text: string): string =>
    this.hide(text).replaceAll(LONG_WORD, (word) =>
      isRandomWord(word) && !this.#isInUserText(word) ? '[random word removed]' : word,
    );

  /** A recalled text of the log: without known secrets, but with words that only look random. */
  readonly hide = (text: string): string => {
    let hidden = this.#redact(text).text;
    const found = [...this.#known].filter((secret) => hidden.includes(secret));
    // The longest first: a shorter secret inside a longer one would leave the rest of the longer one.
    for (const secret of found.sort((a, b) => b.length - a.length))
      hidden = hidden.replaceAll(secret, '[secret removed]');
    return hidden;
  };

  #isInUserText(word: string): boolean {
    return this.#userTexts.some((text) => text.includes(word));
  }

  *read(message: Message): Steps<void> {
    const isUsers = message.role === 'system' || (message.role === 'user' && message.origin === 'user');
    for (const part of message.parts) {
      const text = part.type === 'tool-call' ? part.arguments : textOf(part);
      if (text.length < MIN_CHARS) continue;
      const { text: clean, secrets } = yield* this.#redact.inSteps(text);
      const isUserText = isUsers && part.type === 'text';
      if (isUserText) yield* this.#addUserText(clean);
      for (const secret of [...new Set(secrets)].slice(-MAX_SECRETS)) {
        this.#learn(secret, isUserText);
        yield;
      }
    }
  }

  /** Records a text of a user or an operator; a word that only a tool presented as a secret is then no secret. */
  *#addUserText(text: string): Steps<void> {
    this.#userTexts.push(text);
    for (const secret of this.#known) {
      if (text.includes(secret) && !this.#userSecrets.has(secret)) this.#known.delete(secret);
      yield;
    }
  }

  #forgetOldest(): void {
    const oldest = this.#known.values().next().value!;
    this.#known.delete(oldest);
    this.#userSecrets.delete(oldest);
  }

  #learn(secret: string, isUsers: boolean): void {
    const pieces = secret.length > 100 ? secret.split(/\s+|\\[nr]/) : [secret];
    for (const piece of pieces) {
      const isLine = pieces.length > 1;
      if (isLine ? piece.length < LINE_CHARS || piece.startsWith('-----') : !isDistinctive(piece)) continue;
      if (this.#isInUserText(piece)) continue;
      if (this.#known.size >= MAX_SECRETS) this.#forgetOldest();
      this.#known.add(piece);
      if (isUsers) this.#userSecrets.add(piece);
    }
  }
}

/** Whether a secret is long or mixed enough not to be an ordinary word. */
function isDistinctive(secret: string): boolean {
  if (secret.length < MIN_CHARS) return false;
  return secret.length >= 24 || (/\d/.test(secret) && /\p{L}/u.test(secret));
}

/** Shorter words that look random are more often ids, versions and abbreviations than keys. */
const MIN_RANDOM_CHARS = 20;
/** Longer runs are encoded files. */
const MAX_RANDOM_CHARS = 512;
/** Least share of neighbours of different kinds: random text has 0.62 (both cases and digits), camel case 0.3. */
const MIN_CHANGES = 0.42;
const MIN_DIGIT_GROUPS = 3;
/** Most hyphens and similar signs: a name with a date and a number has more; random keys have one in 32 characters. */
const MAX_JOINTS = 3;

/** `toolu_…`, `PRRC_…`, `ses_…`: an id that names its kind, and that a later call may need. */
const TYPED = /^[a-z]{2,12}_/i;

/**
 * Whether a word looks random: letters of both cases and digits, mixed as only chance mixes them. Hashes and UUIDs, in
 * a single case, are excluded, because programs print them openly.
 */
function isRandomWord(word: string): boolean {
  if (word.length > MAX_RANDOM_CHARS || TYPED.test(word)) return false;
  const letters = word.replaceAll(/[+=_-]/g, '');
  if (letters.length < MIN_RANDOM_CHARS || word.length - letters.length > MAX_JOINTS) return false;
  const isMixed = /[a-z]/.test(word) && /[A-Z]/.test(word) && /\d/.test(word);
  const changes = (word.match(/[a-z]+|[A-Z]+|\d+|[+=_-]+/g) ?? []).length - 1;
  const groups = word.match(/\d+/g) ?? [];
  return isMixed && groups.length >= MIN_DIGIT_GROUPS && changes >= MIN_CHANGES * (word.length - 1);
}

/** The lookbehind avoids attempts inside a word that is too short. */
const LONG_WORD = new RegExp(`(?<![\\w+=-])[\\w+=-]{${MIN_RANDOM_CHARS},}`, 'g');
