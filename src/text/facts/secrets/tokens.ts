import { list, RUN_START, WORD_START, type Shape } from './shape.js';

/** By a token's beginning: the pattern of its rest. Prefixes as their issuers publish them. */
const TOKENS: readonly (readonly [begins: string, follows: string])[] = [
  ['sk-', '(?=[\\w-]{0,80}\\d)[\\w-]{16,}'],
  ...list('ghp_ gho_ ghu_ ghs_ ghr_ github_pat_').map((begins) => [begins, '\\w{20,}'] as const),
  ['glpat-', '[\\w-]{16,}'],
  ...list('xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs-').map((begins) => [begins, '[\\w-]{10,}'] as const),
  ['xapp-', '[\\w-]{20,}'],
  ['AIza', '[\\w-]{30,}'],
  ...list('sk_live_ sk_test_ rk_live_ rk_test_').map((begins) => [begins, '\\w{16,}'] as const),
  ['npm_', '[a-zA-Z0-9]{30,}'],
  ['SG.', '[\\w-]{16,}\\.[\\w-]{16,}'],
  ['hf_', '[a-zA-Z0-9]{30,}'],
  ['pypi-', '[\\w-]{40,}'],
  ['ya29.', '[\\w-]{20,}'],
  ['whsec_', '\\w{24,}'],
  ...list('dop_v1_ doo_v1_ dor_v1_').map((begins) => [begins, '[0-9a-f]{40,}'] as const),
  ...list('shpat_ shpca_ shppa_ shpss_').map((begins) => [begins, '[0-9a-fA-F]{32}'] as const),
  ['SK', '[0-9a-f]{32}(?!\\w)'],
  ['dckr_pat_', '[\\w-]{20,}'],
  ['hvs.', '[\\w-]{24,}'],
  ['ATATT3', '[\\w=-]{20,}'],
  ['AGE-SECRET-KEY-1', '[A-Z0-9]{50,}'],
];

const escaped = (text: string): string => text.replaceAll('.', '\\.');

/** Tokens with a recognisable form (OpenAI, GitHub, GitLab, Slack, Google, Stripe, npm, SendGrid, Hugging Face, …). */
export const TOKEN_SHAPES: readonly Shape[] = [
  {
    kind: 'JWT',
    begins: ['eyj'],
    // Each run of characters is tried only at its start: `eyJ-eyJ-eyJ` would be read to its end from each `eyJ`.
    pattern: new RegExp(`()${RUN_START}eyJ[\\w-]{8,}\\.[\\w-]{8,}\\.[\\w-]{8,}`, 'g'),
  },
  {
    kind: 'AWS key',
    begins: ['akia', 'asia'],
    pattern: new RegExp(`()${WORD_START}(?:AKIA|ASIA)[A-Z0-9]{16}\\b`, 'g'),
  },
  {
    kind: 'API key',
    begins: TOKENS.map(([begins]) => begins.toLowerCase()),
    pattern: new RegExp(
      `()${WORD_START}(?:${TOKENS.map(([begins, follows]) => escaped(begins) + follows).join('|')})`,
      'g',
    ),
  },
  // Tokens of Telegram bots: digits before the colon, then this.
  { kind: 'API key', begins: [':aa'], pattern: /(?<=(?<!\d)\d{8,10})(:)AA[\w-]{33}/g },
  {
    kind: 'token',
    begins: ['hooks.slack.com/services/', 'discord.com/api/webhooks/', 'discordapp.com/api/webhooks/'],
    pattern: /((?:hooks\.slack\.com\/services|discord(?:app)?\.com\/api\/webhooks)\/)[\w/-]{20,}/gi,
  },
];
