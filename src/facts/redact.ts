import { SpillwayError } from '../errors/index.js';
import { SHAPES } from './secret-shapes.js';
import { signsIn } from './secret-signs.js';

export interface Redacted {
  readonly text: string;
  /** Secrets taken out. */
  readonly count: number;
  /** The secrets themselves, to find them where their surroundings are gone. */
  readonly secrets: readonly string[];
}

export type Redact = (text: string) => Redacted;

/** What stands in the place of a secret: looked at again it is none. */
const PLACE = /^\[[\w ]{1,20} removed\]/;

/**
 * Takes secrets out of a text, leaving what kind stood there. `extra` are patterns of the operator, matched whole.
 * Throws what `RegExp` throws where one of them is no pattern.
 */
export function createRedact(extra: readonly string[] = []): Redact {
  const own = extra.map((source) => new RegExp(`()(?:${source})`, 'g'));
  return (text) => {
    const secrets: string[] = [];
    const without = (from: string, kind: string, pattern: RegExp): string =>
      from.replace(pattern, (whole: string, kept: string) => {
        const secret = whole.slice(kept.length);
        if (secret === '' || PLACE.test(secret)) return whole;
        secrets.push(secret);
        return `${kept}[${kind} removed]`;
      });
    let cleaned = own.reduce((from, pattern) => without(from, 'secret', pattern), text);
    let signs = signsIn(cleaned);
    for (let i = 0; signs >>> i > 0; i++) {
      if ((signs & (1 << i)) === 0) continue;
      const { kind, pattern } = SHAPES[i]!;
      const before = cleaned;
      cleaned = without(before, kind, pattern);
      // What is left of a wide secret may be a narrow one.
      if (cleaned !== before) signs = signsIn(cleaned);
    }
    return { text: cleaned, count: secrets.length, secrets };
  };
}

/** The same for patterns that an operator wrote. Throws `CONFIG_INVALID` where one is no pattern. */
export function redactFor(patterns: readonly string[]): Redact {
  try {
    return createRedact(patterns);
  } catch (cause) {
    throw new SpillwayError('CONFIG_INVALID', {
      subject: 'redact',
      found: patterns,
      allowed: 'regular expressions',
      remedy: 'Mend the pattern.',
      cause,
    });
  }
}
