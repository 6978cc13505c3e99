import type { WireFormat, OverflowWording, Provider } from '../../spi/index.js';
import { countIn, N, signaturesByModel, usageFrom, usageUnder, wording } from '../provider/lore.js';
import { reading } from './parse.js';
import { serialise } from './serialise.js';

/** Of the many servers that speak chat completions. */
const OVERFLOWS: readonly OverflowWording[] = [
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
];

/** OpenAI, and the many servers that speak chat completions. */
const provider: Provider = {
  signatures: signaturesByModel,
  usageOf: usageUnder('usage', (usage) => {
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

/** OpenAI chat completions, and the many servers that speak it. */
export const openaiChat: WireFormat = {
  ...reading,
  provider,
  serialise,
};
export { withTurns } from './strict-turns.js';
export { isKnownRole } from './wire.js';
