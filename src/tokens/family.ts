import type { Encoding } from './exact.js';

/** What is known of a family of models and stands in no published sheet. Tokens. */
interface Family {
  readonly outputLimit?: number;
  /** Only for gaps in the sheets. */
  readonly contextWindow?: number;
  readonly tokenizer?: Encoding;
  /** Tokens of this model for one token of o200k_base. */
  readonly tokenRatio: number;
}

/** Nothing measured: smaller vocabularies than o200k's take somewhat more tokens. Too high compacts early, no worse. */
const UNKNOWN_FAMILY: Family = { tokenRatio: 1.1 };

/** +11.9 % over o200k on 2.1 MB of READMEs, types, code and JSON, by the last vocabulary that was published. */
const CLAUDE = 1.12;
/**
 * From Opus 4.7 on a new vocabulary: 1.33 times the tokens of 4.6 on real coding sessions by the provider's own counter
 * (claudecodecamp.com, April 2026; the vendor says 1.0 to 1.35), hence 1.12 × 1.33. Assumed for all later ones.
 */
const CLAUDE_47 = 1.49;
/** +17.1 % on the same 2.1 MB by Gemma's vocabulary. */
const GEMINI = 1.17;
/** Vocabularies of 128,000 to 160,000 grown from cl100k, which is +0.2 % there; the rest is for CJK and caution. */
const OPEN = 1.05;

/** The first that matches the bare name wins. Output limits: vendors' model pages, by way of models.dev. */
const FAMILIES: readonly (readonly [RegExp, Family])[] = [
  [
    /^(?:gpt-4o|gpt-4\.[15]|gpt-[5-9]|gpt-oss|chatgpt-|codex-|o[134](?:-|$))/,
    { tokenizer: 'o200k_base', tokenRatio: 1 },
  ],
  // 1.002 on English and code; Chinese and Korean are dearer in the older vocabulary.
  [/^(?:gpt-4|gpt-3\.5|text-embedding)/, { tokenizer: 'cl100k_base', tokenRatio: 1.02 }],
  [/^claude-opus-4-[78]|^claude-[a-z]+-[5-9]/, { outputLimit: 128_000, tokenRatio: CLAUDE_47 }],
  [/^claude-(?:opus|sonnet)-4-6/, { outputLimit: 128_000, tokenRatio: CLAUDE }],
  [/^claude-opus-4(?:-[01])?$/, { outputLimit: 32_000, tokenRatio: CLAUDE }],
  [/^claude-(?:opus|sonnet|haiku)-4|^claude-3-7/, { outputLimit: 64_000, tokenRatio: CLAUDE }],
  [/^claude-3-5/, { outputLimit: 8_192, tokenRatio: CLAUDE }],
  [/^claude-(?:3|2|instant)/, { outputLimit: 4_096, tokenRatio: CLAUDE }],
  [/^claude/, { tokenRatio: CLAUDE_47 }],
  [/^gemini-(?:2\.5|[3-9])/, { outputLimit: 65_536, contextWindow: 1_048_576, tokenRatio: GEMINI }],
  [/^(?:gemini|gemma)/, { outputLimit: 8_192, tokenRatio: GEMINI }],
  [
    /^(?:deepseek|qwen|qwq|kimi|glm|llama|meta-llama|mistral|ministral|magistral|codestral|devstral|grok)/,
    { tokenRatio: OPEN },
  ],
];

/** The family of a model, by its bare name: no vendor before it, no date behind it. */
export function familyOf(bareName: string): Family {
  return FAMILIES.find(([pattern]) => pattern.test(bareName))?.[1] ?? UNKNOWN_FAMILY;
}
