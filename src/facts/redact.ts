import { SpillwayError } from '../errors/index.js';

/**
 * A secret's shape, and where in it the secret stands: the first group is kept, the rest is not. `hint` stands in
 * every text that holds one and is quick to look for: most texts hold none.
 */
interface Shape {
  readonly kind: string;
  readonly hint: RegExp;
  readonly pattern: RegExp;
}

const ANY = /(?:)/;

/** What an assignment gives a value to, so that the value is a secret. */
const NAMES =
  'passwd|password|passphrase|secret|api[_-]?key|access[_-]?key|account[_-]?key|auth[_-]?token|access[_-]?token|refresh[_-]?token';
const NAMED = /passw|passphrase|secret|(?:api|access|account)[_-]?key|(?:auth|access|refresh)[_-]?token/i;
/** A quotation mark, also as it stands inside JSON inside JSON. */
const QUOTE = '\\\\{0,3}["\']';

/**
 * Shapes of common secrets, the widest first. Each is linear in the text: no nested repetition, bounded runs.
 * Prefixes as published by their issuers (OpenAI, Anthropic, GitHub, GitLab, Slack, Google, Stripe, npm, AWS, SendGrid,
 * Hugging Face, PyPI). Code that only names a secret (`process.env.API_KEY`, `password: string`) is none.
 */
const SHAPES: readonly Shape[] = [
  {
    kind: 'private key',
    hint: /PRIVATE KEY-----/,
    pattern:
      /()-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\w+/=\s\\:,.-]*?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|(?=[^\w+/=\s\\:,.-])|$)/g,
  },
  // The end of one whose beginning was cut away.
  {
    kind: 'private key',
    hint: /-----END [A-Z ]{0,30}PRIVATE KEY-----/,
    pattern:
      /()(?:[\w+/=]{16,100}(?:\s|\\[nr]){1,4}){0,80}[\w+/=]{0,100}(?:\s|\\[nr]){0,4}-----END [A-Z ]{0,30}PRIVATE KEY-----/g,
  },
  { kind: 'JWT', hint: /eyJ/, pattern: /()\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}/g },
  { kind: 'AWS key', hint: /AKIA|ASIA/, pattern: /()\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g },
  {
    kind: 'API key',
    hint: /sk-|gh[pousr]_|github_pat_|glpat-|xox|AIza|k_(?:live|test)_|npm_|SG\.|hf_|pypi-|ya29\.|whsec_/,
    pattern:
      /()\b(?:sk-[\w-]{16,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abeoprs]-[\w-]{10,}|AIza[\w-]{30,}|[sr]k_(?:live|test)_\w{16,}|npm_\w{30,}|SG\.[\w-]{16,}\.[\w-]{16,}|hf_\w{30,}|pypi-[\w-]{40,}|ya29\.[\w-]{20,}|whsec_\w{24,})/g,
  },
  { kind: 'bearer token', hint: /bearer/i, pattern: /(\bbearer\s{1,4})[\w.~+/-]{16,}={0,2}/gi },
  {
    kind: 'password',
    hint: /authorization/i,
    pattern: /(\bauthorization["']?\s{0,4}[:=]\s{0,4}["']?basic\s{1,4})[\w+/-]{8,}={0,2}/gi,
  },
  {
    kind: 'password',
    hint: /:\/\/[^\s:/@]{0,100}:[^\s@/]{1,200}@/,
    pattern: /(:\/\/[^\s:/@]{0,100}:)[^\s@/"'<>{}$]{1,200}(?=@)/g,
  },
  {
    kind: 'token',
    hint: /[?&][\w-]{0,13}(?:token|key|sig|signature)=/i,
    pattern: /([?&](?:access_token|token|api_?key|key|sig|signature|x-amz-signature)=)[\w%.~+/-]{16,}/gi,
  },
  // As environment files and shells write it.
  {
    kind: 'secret',
    hint: /(?:PASSWORD|PASSWD|SECRET|KEY|TOKEN)[A-Z0-9_]{0,20}=/,
    pattern:
      /((?<![a-z])(?:PASSWORD|PASSWD|SECRET|API_?KEY|ACCESS_?KEY|ACCOUNT_?KEY|SECRET_?KEY|PRIVATE_?KEY|TOKEN)(?:_[A-Z0-9_]{1,20})?=["']?)(?![$<{[])(?!\w{1,40}[.(])[^\s"',;&\\]{8,}/g,
  },
  // In quotation marks anything is a value, but a template.
  {
    kind: 'secret',
    hint: NAMED,
    pattern: new RegExp(
      `((?:${NAMES})[\\w-]{0,20}(?:${QUOTE})?\\s{0,4}[:=]\\s{0,4}${QUOTE})(?![$<{])[^\\s"',;&\\\\]{8,}`,
      'gi',
    ),
  },
  // Bare: code stands there as well, so a digit is wanted and nothing that calls or looks up.
  {
    kind: 'secret',
    hint: NAMED,
    pattern: new RegExp(
      `((?:${NAMES})\\s{0,4}[:= ]\\s{0,4})(?=[^\\s"',;&\\\\]{0,60}\\d)(?![\\w$]{1,60}[.([])[\\w+/=~!@#%^*-]{8,}`,
      'gi',
    ),
  },
];

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
  const own = extra.map((source): Shape => ({
    kind: 'secret',
    hint: ANY,
    pattern: new RegExp(`()(?:${source})`, 'g'),
  }));
  const shapes = [...own, ...SHAPES];
  return (text) => {
    const secrets: string[] = [];
    let cleaned = text;
    let absent: RegExp | undefined;
    for (const { kind, hint, pattern } of shapes) {
      // Neighbours share a hint, and looking for it is the cost.
      if (hint === absent || !hint.test(cleaned)) {
        absent = hint;
        continue;
      }
      cleaned = cleaned.replace(pattern, (whole: string, kept: string) => {
        const secret = whole.slice(kept.length);
        if (secret === '' || PLACE.test(secret)) return whole;
        secrets.push(secret);
        return `${kept}[${kind} removed]`;
      });
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
