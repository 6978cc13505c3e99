/** A secret's shape, and where in it the secret stands: the first group is kept, the rest is not. */
interface Shape {
  readonly kind: string;
  readonly pattern: RegExp;
}

/**
 * Shapes of common secrets, the widest first. Each is linear in the text: no nested repetition, bounded runs.
 * Prefixes as published by their issuers (OpenAI, Anthropic, GitHub, GitLab, Slack, Google, Stripe, npm, AWS).
 */
const SHAPES: readonly Shape[] = [
  {
    kind: 'private key',
    pattern: /()-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|$)/g,
  },
  { kind: 'JWT', pattern: /()\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}/g },
  { kind: 'AWS key', pattern: /()\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g },
  {
    kind: 'API key',
    pattern:
      /()\b(?:sk-[\w-]{16,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abeoprs]-[\w-]{10,}|AIza[\w-]{30,}|[sr]k_(?:live|test)_\w{16,}|npm_\w{30,})/g,
  },
  { kind: 'bearer token', pattern: /(\bbearer\s{1,4})[\w.~+/-]{16,}={0,2}/gi },
  { kind: 'password', pattern: /(\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@]{0,100}:)[^\s@/]{1,200}(?=@)/gi },
  {
    kind: 'secret',
    pattern:
      /(\b[\w.-]{0,40}(?:password|passwd|secret|api[_-]?key|access[_-]?key|auth[_-]?token|access[_-]?token)["']?\s{0,4}[:=]\s{0,4}["']?)[^\s"',;&]{8,}/gi,
  },
];

export interface Redacted {
  readonly text: string;
  /** Secrets taken out. */
  readonly count: number;
}

export type Redact = (text: string) => Redacted;

/** Takes secrets out of a text, leaving what kind stood there. `extra` are patterns of the operator, matched whole. */
export function createRedact(extra: readonly string[] = []): Redact {
  const own = extra.map((source): Shape => ({ kind: 'secret', pattern: new RegExp(`()(?:${source})`, 'g') }));
  const shapes = [...own, ...SHAPES];
  return (text) => {
    let count = 0;
    let cleaned = text;
    for (const { kind, pattern } of shapes) {
      cleaned = cleaned.replace(pattern, (whole: string, kept: string) => {
        if (whole === kept || whole === '') return whole;
        count++;
        return `${kept}[${kind} removed]`;
      });
    }
    return { text: cleaned, count };
  };
}
