import type { WireFormat, OverflowWording, Provider } from '../../spi/index.js';
import { countIn, N, signaturesByModel, usageFrom, usageInField, wording } from '../provider/lore.js';
import { parser } from './parse.js';
import { serialise } from './serialise.js';

/** Overflow wordings of the many servers with chat completions. */
const OVERFLOWS: readonly OverflowWording[] = [
  // vLLM. The figure after “at least” is the smallest prompt that would not fit, not a count of this prompt.
  wording(
    `maximum context length is${N} tokens[^]*?requested${N} output tokens[^]*?prompt contains(?:${N} input| at least)`,
    'contextWindow',
    'output',
    'input',
  ),
  wording(`context length is${N} tokens[^]{1,20} request has${N} input`, 'contextWindow', 'input'),
  wording(`passed${N} input tokens and requested${N} [^]*?only${N}`, 'input', 'output', 'contextWindow'),
  // SGLang
  wording(
    `maximum context length of${N} tokens[^]*?a total of${N} tokens:${N} tokens from the input[^]*? and${N}`,
    'contextWindow',
    'requested',
    'input',
    'output',
  ),
  wording(`input${N} tokens\\) is longer than the model.{0,2}s context length${N}`, 'input', 'contextWindow'),
  // OpenAI, Azure, DeepSeek, vLLM, OpenRouter
  wording(
    `maximum context length (?:is|of)${N} tokens[^]*?(?:resulted in|requested(?: about)?|contains?)${N}`,
    'contextWindow',
    'requested',
  ),
  wording(`maximum context length (?:is|of)${N}`, 'contextWindow'),
  // SGLang, GLM, Poolside
  wording(
    `(?:input length|request)${N}(?: input)?(?: tokens)?\\)? exceeds (?:the )?(?:model.{0,2}s )?maximum context length${N}`,
    'input',
    'contextWindow',
  ),
  wording(`input length${N}.{0,9} exceeds the maximum [a-z ]*length(?: of)?${N}`, 'input', 'inputLimit'),
  wording(
    `input tokens? exceeds? the configured limit of${N} tokens[^]*?resulted in${N}`,
    'inputLimit',
    'requested',
  ),
  wording(`input tokens? exceeds? the configured limit of${N}`, 'inputLimit'),
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
  // Cerebras, Fireworks
  wording(`current length is${N} while limit is${N}`, 'requested', 'contextWindow'),
  wording(`prompt is too long:${N}, model maximum context length:${N}`, 'requested', 'contextWindow'),
  // GitHub Models
  wording(`request body too large for .{1,99} model\\. max size:${N} tokens`, 'inputLimit'),
  // SiliconFlow
  wording(`prompt_tokens${N}\\) must be less than max_seq_len${N}`, 'input', 'contextWindow'),
  wording(`max_total_tokens${N}\\) must be .{1,30} max_seq_len${N}`, 'requested', 'contextWindow'),
  // Cloudflare, llama-cpp-python
  wording(`maximum output tokens${N}\\) exceeded .{1,30} limit${N}`, 'requested', 'contextWindow'),
  wording(`requested tokens${N}\\) exceed context window of${N}`, 'requested', 'contextWindow'),
  // Together, Hugging Face TGI
  wording(`inputs.? must have less than${N} tokens. given:${N}`, 'inputLimit', 'requested'),
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
  wording(`exceeded model token limit:?${N}(?: .requested:${N})?`, 'contextWindow', 'requested'),
  // DashScope
  wording(`range of input length should be \\[\\d+,${N}\\]`, 'inputLimit'),
  // Cohere
  wording(`total number of tokens in the prompt cannot exceed${N}`, 'inputLimit'),
  // Ollama
  wording('prompt too long; exceeded (?:max )?context length'),
];

/** OpenAI, and the many servers with chat completions. */
const provider: Provider = {
  signatures: signaturesByModel,
  usageOf: usageInField('usage', (usage) => {
    const { prompt_tokens_details: details } = usage;
    const [cached, written] = [countIn(details, 'cached_tokens'), countIn(details, 'cache_write_tokens')];
    return usageFrom(countIn(usage, 'prompt_tokens'), cached, written, countIn(usage, 'completion_tokens'));
  }),
  overflows: OVERFLOWS,
  truncation: [
    {
      // OpenRouter's
      field: 'transforms',
      off: (value) =>
        Array.isArray(value) && value.includes('middle-out')
          ? { value: value.filter((one) => one !== 'middle-out'), was: 'transforms: middle-out' }
          : undefined,
    },
    {
      // Ollama's
      field: 'truncate',
      off: (value) => (value === true ? { value: false, was: 'truncate: true' } : undefined),
    },
  ],
};

/** OpenAI chat completions, which many servers support. */
export const openaiChat: WireFormat = {
  ...parser,
  provider,
  serialise,
};
export { withTurns } from './strict-turns.js';
export { isKnownRole } from './wire.js';
