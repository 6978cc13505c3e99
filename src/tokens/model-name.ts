/** Vendors and gateways that stand before a model's name with a colon; others' colons are tags: `mistral:latest`. */
const COLON_VENDOR =
  /^(?:openai|azure|anthropic|google|gemini|vertex|bedrock|copilot|openrouter|groq|ollama|xai|deepseek):/;

/** `us.anthropic.claude-…`, as one cloud names them. */
const DOTTED_VENDOR =
  /^(?:(?:us|eu|apac|jp|au|global)\.)?(?:anthropic|meta|mistral|amazon|cohere|deepseek|qwen|openai)\./;

const SLASHES = /^.*\//;

/** What clouds and gateways hang on behind: `-v1:0`, `@20250514`, `:free`, `[1m]`. */
const BEHIND = /(?:\[1m\]|-v\d+:\d+|@[\w-]+|:[\w.-]+)$/;

/** A date of release: `-20250929`, `-2024-08-06`. */
const DATE = /-\d{4}-?\d{2}-?\d{2}$/;

/**
 * The names under which a model may be known, the given one first, then with less and less around it:
 * `us.anthropic.claude-sonnet-4-5-20250929-v1:0` ends as `claude-sonnet-4-5`. Lower case, each once.
 */
export function namesOf(model: string): readonly string[] {
  const names = new Set<string>();
  let name = model.trim().toLowerCase();
  for (const pattern of [COLON_VENDOR, SLASHES, DOTTED_VENDOR, BEHIND, BEHIND, DATE]) {
    names.add(name);
    name = name.replace(pattern, '');
  }
  names.add(name);
  names.delete('');
  return [...names];
}

/** Who serves a model, where its name says so: the first word of `copilot/gpt-4o` or `openai:gpt-4o`. */
export function providerIn(model: string): string | undefined {
  const name = model.trim().toLowerCase();
  return (COLON_VENDOR.exec(name)?.[0] ?? /^[\w.-]+\//.exec(name)?.[0])?.slice(0, -1);
}
