/** A secret's shape, and where in it the secret stands: the first group is kept, the rest is not. */
export interface Shape {
  readonly kind: string;
  readonly pattern: RegExp;
  /** What each match begins with, in lowercase; the text may have capitals. */
  readonly begins: readonly string[];
  /** The match may begin anywhere before them: they only tell that there may be one. */
  readonly inside?: boolean;
}

const list = (names: string): string[] => names.split(' ');
const joined = (firsts: readonly string[], joints: readonly string[], last: string): string[] =>
  firsts.flatMap((first) => joints.map((joint) => `${first}${joint}${last}`));
/** What an assignment gives a value to, so that the value is a secret. */
const NAMED = list('passwd password passphrase secret').concat(
  joined(['api', 'access', 'account'], ['', '_', '-'], 'key'),
  joined(['auth', 'access', 'refresh'], ['', '_', '-'], 'token'),
);
const NAMES = NAMED.join('|');
/** A quotation mark, also as it stands inside JSON inside JSON. */
const QUOTE = '\\\\{0,3}["\']';

/**
 * Shapes of common secrets, the widest first. Each is linear in the text: no nested repetition, bounded runs.
 * Prefixes as published by their issuers (OpenAI, Anthropic, GitHub, GitLab, Slack, Google, Stripe, npm, AWS, SendGrid,
 * Hugging Face, PyPI). Code that only names a secret (`process.env.API_KEY`, `password: string`) is none.
 */
export const SHAPES: readonly Shape[] = [
  {
    kind: 'private key',
    begins: ['-----begin '],
    pattern:
      /()-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\w+/=\s\\:,.-]*?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|(?=[^\w+/=\s\\:,.-])|$)/g,
  },
  // The end of one whose beginning was cut away.
  {
    kind: 'private key',
    begins: ['private key-----'],
    inside: true,
    pattern:
      /()(?:[\w+/=]{16,100}(?:\s|\\[nr]){1,4}){0,80}[\w+/=]{0,100}(?:\s|\\[nr]){0,4}-----END [A-Z ]{0,30}PRIVATE KEY-----/g,
  },
  { kind: 'JWT', begins: ['eyj'], pattern: /()\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}/g },
  { kind: 'AWS key', begins: ['akia', 'asia'], pattern: /()\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g },
  {
    kind: 'API key',
    begins: list(
      'sk- ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- xox aiza sk_live_ sk_test_ rk_live_ rk_test_ npm_ sg. hf_ pypi- ya29. whsec_',
    ),
    pattern:
      /()\b(?:sk-[\w-]{16,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abeoprs]-[\w-]{10,}|AIza[\w-]{30,}|[sr]k_(?:live|test)_\w{16,}|npm_\w{30,}|SG\.[\w-]{16,}\.[\w-]{16,}|hf_\w{30,}|pypi-[\w-]{40,}|ya29\.[\w-]{20,}|whsec_\w{24,})/g,
  },
  { kind: 'bearer token', begins: ['bearer'], pattern: /(\bbearer\s{1,4})[\w.~+/-]{16,}={0,2}/gi },
  {
    kind: 'password',
    begins: ['authorization'],
    pattern: /(\bauthorization["']?\s{0,4}[:=]\s{0,4}["']?basic\s{1,4})[\w+/-]{8,}={0,2}/gi,
  },
  {
    kind: 'password',
    begins: ['://'],
    pattern: /(:\/\/[^\s:/@]{0,100}:)[^\s@/"'<>{}$]{1,200}(?=@)/g,
  },
  {
    kind: 'token',
    begins: list('access_token token api_key apikey key sig signature x-amz-signature').flatMap((name) => [
      `?${name}=`,
      `&${name}=`,
    ]),
    pattern: /([?&](?:access_token|token|api_?key|key|sig|signature|x-amz-signature)=)[\w%.~+/-]{16,}/gi,
  },
  // As environment files and shells write it.
  {
    kind: 'secret',
    begins: list('password passwd secret token').concat(
      joined(['api', 'access', 'account', 'private'], ['', '_'], 'key'),
    ),
    pattern:
      /((?<![a-z])(?:PASSWORD|PASSWD|SECRET|API_?KEY|ACCESS_?KEY|ACCOUNT_?KEY|SECRET_?KEY|PRIVATE_?KEY|TOKEN)(?:_[A-Z0-9_]{1,20})?=["']?)(?![$<{[])(?!\w{1,40}[.(])[^\s"',;&\\]{8,}/g,
  },
  // In quotation marks anything is a value, but a template.
  {
    kind: 'secret',
    begins: NAMED,
    pattern: new RegExp(
      `((?:${NAMES})[\\w-]{0,20}(?:${QUOTE})?\\s{0,4}[:=]\\s{0,4}${QUOTE})(?![$<{])[^\\s"',;&\\\\]{8,}`,
      'gi',
    ),
  },
  // Bare: code stands there as well, so a digit is wanted and nothing that calls or looks up.
  {
    kind: 'secret',
    begins: NAMED,
    pattern: new RegExp(
      `((?:${NAMES})\\s{0,4}[:= ]\\s{0,4})(?=[^\\s"',;&\\\\]{0,60}\\d)(?![\\w$]{1,60}[.([])[\\w+/=~!@#%^*-]{8,}`,
      'gi',
    ),
  },
];
