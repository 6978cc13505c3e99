import type { Encoding } from './exact.js';

/** Facts about a family of models that no published sheet has. Tokens. */
interface Family {
  readonly outputLimit?: number;
  /** Only for gaps in the sheets. */
  readonly contextWindow?: number;
  readonly tokenizer?: Encoding;
  /** Tokens of this model per token of o200k_base. */
  readonly tokenRatio: number;
}

/** Not measured: smaller vocabularies than o200k's need somewhat more tokens. A high ratio only compacts early. */
const UNKNOWN_FAMILY: Family = { tokenRatio: 1.1 };

/** +11.9 % over o200k on 2.1 MB of READMEs, types, code and JSON, with the last published vocabulary. */
const CLAUDE = 1.12;
/**
 * New vocabulary from Opus 4.7 on: 1.33 times the tokens of 4.6 on real coding sessions, by the provider's own counter
 * (claudecodecamp.com, April 2026; the vendor says 1.0 to 1.35), hence 1.12 × 1.33. Assumed for all later models.
 */
const CLAUDE_47 = 1.49;
/** +17.1 % on the same 2.1 MB with Gemma's vocabulary. */
const GEMINI = 1.17;
/** Vocabularies of 128,000 to 160,000, based on cl100k, which is +0.2 % there; the rest is for CJK and caution. */
const OPEN_WEIGHTS = 1.05;

/** The first match of the bare name wins. Output limits: vendors' model pages, from models.dev. */
const FAMILIES: readonly (readonly [RegExp, Family])[] = [
  [
    /^(?:gpt-4o|gpt-4\.[15]|gpt-[5-9]|gpt-oss|chatgpt-|codex-|o[134](?:-|$))/,
    { tokenizer: 'o200k_base', tokenRatio: 1 },
  ],
  // 1.002 on English and code; Chinese and Korean cost more in the older vocabulary.
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
    { tokenRatio: OPEN_WEIGHTS },
  ],
];

/** The family of a model, by its bare name: without vendor and date. */
export function familyOf(bareName: string): Family {
  return FAMILIES.find(([pattern]) => pattern.test(bareName))?.[1] ?? UNKNOWN_FAMILY;
}

/** Vendors and gateways before a model's name with a colon; other colons begin tags: `mistral:latest`. */
const COLON_VENDOR =
  /^(?:openai|azure|anthropic|google|gemini|vertex|bedrock|copilot|openrouter|groq|ollama|xai|deepseek):/;

/** `us.anthropic.claude-…`, as one cloud names models. */
const DOTTED_VENDOR =
  /^(?:(?:us|eu|apac|jp|au|global)\.)?(?:anthropic|meta|mistral|amazon|cohere|deepseek|qwen|openai)\./;

const SLASHES = /^.*\//;

/** Suffixes of clouds and gateways: `-v1:0`, `@20250514`, `:free`, `[1m]`. */
const SUFFIX = /(?:\[1m\]|-v\d+:\d+|@[\w-]+|:[\w.-]+)$/;

/** A release date: `-20250929`, `-2024-08-06`. */
const DATE = /-\d{4}-?\d{2}-?\d{2}$/;

/**
 * The possible names of a model: the given one first, then with more and more affixes removed:
 * `us.anthropic.claude-sonnet-4-5-20250929-v1:0` ends as `claude-sonnet-4-5`. Lower case, each once.
 */
export function namesOf(model: string): readonly string[] {
  const names = new Set<string>();
  let name = model.trim().toLowerCase();
  for (const pattern of [COLON_VENDOR, SLASHES, DOTTED_VENDOR, SUFFIX, SUFFIX, DATE]) {
    names.add(name);
    name = name.replace(pattern, '');
  }
  names.add(name);
  names.delete('');
  return [...names];
}

/** The provider in a model's name, if there is one: the first word of `copilot/gpt-4o` or `openai:gpt-4o`. */
export function providerIn(model: string): string | undefined {
  const name = model.trim().toLowerCase();
  return (COLON_VENDOR.exec(name)?.[0] ?? /^[\w.-]+\//.exec(name)?.[0])?.slice(0, -1);
}
