/** Scope of the stored values that say what refusals have proven, by model. */
export const LEARNED_LIMITS = 'learned-limits';

/** What a provider's refusal says of the limit that a request passed. Tokens, each only where it is named. */
export interface Overflow {
  /** Most that one request may hold, input and output together. */
  readonly contextWindow?: number;
  /** Most input. */
  readonly inputLimit?: number;
  /** What it counted in the request. */
  readonly requested?: number;
}

type Field = keyof Overflow;

/** A wording, and which figure stands in each of its groups. */
type Wording = readonly [pattern: RegExp, ...fields: Field[]];

const N = String.raw`[ (]*([\d][\d,._]*)`;
const wording = (source: string, ...fields: Field[]): Wording => [new RegExp(source, 'i'), ...fields];

/** As providers and servers write it. Figures first: the first wording that fits decides. */
const WORDINGS: readonly Wording[] = [
  // Anthropic
  wording(`prompt is too long:${N} tokens? >${N}`, 'requested', 'inputLimit'),
  wording(
    `input length and .?max_tokens.? exceed context limit:${N} \\+ [\\d,]+ >${N}`,
    'requested',
    'contextWindow',
  ),
  // OpenAI, Azure, DeepSeek, vLLM, OpenRouter
  wording(
    `maximum context length (?:is|of)${N} tokens[^]*?(?:resulted in|requested(?: about)?|contains?)${N}`,
    'contextWindow',
    'requested',
  ),
  wording(`maximum context length (?:is|of)${N}`, 'contextWindow'),
  wording(
    `input tokens? exceeds? the configured limit of${N} tokens[^]*?resulted in${N}`,
    'inputLimit',
    'requested',
  ),
  wording(`input tokens? exceeds? the configured limit of${N}`, 'inputLimit'),
  // Gemini, Vertex
  wording(
    `input token count${N}\\)? exceeds the maximum number of tokens allowed${N}`,
    'requested',
    'inputLimit',
  ),
  wording(`exceeds the maximum number of tokens allowed${N}`, 'inputLimit'),
  // xAI
  wording(`maximum prompt length is${N} but the request contains${N}`, 'inputLimit', 'requested'),
  // GitHub Copilot
  wording(`prompt token count of${N} exceeds the limit of${N}`, 'requested', 'inputLimit'),
  // Mistral
  wording(
    `prompt contains${N} tokens[^]*?too large for model with${N} maximum context length`,
    'requested',
    'contextWindow',
  ),
  // Together, Hugging Face TGI
  wording(`tokens.? \\+ .?max_new_tokens.? must be <=${N}\\.? given:${N}`, 'contextWindow', 'requested'),
  // vLLM
  wording(
    `prompt \\(length${N}\\) is longer than the maximum model length of${N}`,
    'requested',
    'contextWindow',
  ),
  wording(`longer than the (?:maximum )?model(?:'s)? (?:context )?length of${N}`, 'contextWindow'),
  // llama.cpp, LM Studio
  wording(`request${N} tokens\\)? exceeds the available context size${N}`, 'requested', 'contextWindow'),
  wording(`exceeds the available context size${N}`, 'contextWindow'),
  wording('exceed_context_size_error|exceeds the available context size'),
  wording(`greater than the context length|context length of only${N}`, 'contextWindow'),
  wording('tokens to keep from the initial prompt'),
  // Moonshot
  wording(`exceeded model token limit:?${N}`, 'contextWindow'),
  // DashScope
  wording(`range of input length should be \\[\\d+,${N}\\]`, 'inputLimit'),
  // Cohere
  wording(`total number of tokens in the prompt cannot exceed${N}`, 'inputLimit'),
  // Ollama
  wording('prompt too long; exceeded (?:max )?context length'),
  // Bedrock, Groq, MiniMax, GLM, Cerebras and the codes of all
  wording('input is too long for (?:the )?requested model|too many input tokens'),
  wording('reduce the length of the messages'),
  wording('context window exceeds limit|exceeds the context window|context window is full'),
  wording('context[_ ]length[_ ]exceeded|model_context_window_exceeded|context_window_exceeded'),
  wording('ContextWindowExceeded|prompt_too_long|prompt is too long|request_too_large'),
  wording('request (?:entity|exceeds the maximum size|payload)|payload too large'),
  wording('maximum (?:allowed )?(?:input|prompt|context) (?:length|size) exceeded'),
  wording('(?:输入|提示|上下文|prompt).{0,12}(?:超长|超出|过长)'),
];

/** These speak of tokens too, and mean something else: waiting helps, compacting does not. */
const RATE_LIMIT =
  /rate.?limit|tokens? per (?:min|hour|day)|\b(?:TPM|TPD|RPM)\b|quota|too many requests|throttl|resource.?exhausted|please wait before|insufficient_(?:funds|balance)/i;

/** Names that leave no doubt, whatever else is said. */
const CERTAIN = /context_length_exceeded|model_context_window_exceeded/;

/**
 * Reads a refusal: an error of any client, its body as text or object, or a finish reason. Undefined where it is no
 * overflow: rate limits mention tokens as well.
 */
export function readOverflow(error: unknown): Overflow | undefined {
  const { texts, statuses } = gather(error);
  const text = texts.join('\n');
  if (!CERTAIN.test(text) && (RATE_LIMIT.test(text) || statuses.has(429))) return undefined;
  for (const [pattern, ...fields] of WORDINGS) {
    const found = pattern.exec(text);
    if (!found) continue;
    const named = fields.flatMap((field, i) => {
      const tokens = Number((found[i + 1] ?? '').replace(/[,._]/g, ''));
      return Number.isSafeInteger(tokens) && tokens > 0 ? [[field, tokens] as const] : [];
    });
    return Object.fromEntries(named);
  }
  return statuses.has(413) ? {} : undefined;
}

const STATUS_FIELDS = ['status', 'statusCode', 'code'];
const DEEPEST = 5;

/** Everything an error says of itself, in whatever fields its client keeps it. */
function gather(error: unknown): {
  readonly texts: readonly string[];
  readonly statuses: ReadonlySet<number>;
} {
  const texts: string[] = [];
  const statuses = new Set<number>();
  const seen = new Set<object>();
  const visit = (value: unknown, depth: number): void => {
    if (typeof value === 'string') texts.push(value.slice(0, 10_000));
    if (typeof value !== 'object' || value === null || depth > DEEPEST || seen.has(value)) return;
    seen.add(value);
    const names = new Set([...Object.keys(value), 'message', 'cause', 'name']);
    for (const name of names) {
      // What was sent is no part of the answer: a transcript may speak of context lengths.
      if (/^(?:request|requestBody|config|stack|headers)/i.test(name)) continue;
      const field = (value as Record<string, unknown>)[name];
      if (STATUS_FIELDS.includes(name) && Number.isInteger(Number(field))) statuses.add(Number(field));
      visit(field, depth + 1);
    }
  };
  visit(error, 0);
  return { texts, statuses };
}
