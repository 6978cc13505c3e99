import type { Provider, WireFormat } from '../../spi/index.js';
import type { Usage } from '../../tokens/index.js';
import {
  countIn,
  fieldAway,
  signaturesByModel,
  usageFrom,
  usageOfLoop,
  usageUnder,
} from '../provider/lore.js';
import { fieldsOf, isFields, listOf, type Fields } from '../record.js';
import { reading } from './parse.js';
import { serialise } from './serialise.js';

/** A model's, of the third version, which tells what came from the cache; or a result's, or one of the second. */
function usedIn(usage: Fields): Usage {
  const { inputTokens: input, outputTokens: output, inputTokenDetails: details } = usage;
  if (!isFields(input)) {
    const cached = countIn(usage, 'cachedInputTokens') || countIn(details, 'cacheReadTokens');
    const written = countIn(details, 'cacheWriteTokens');
    return usageFrom(countIn(usage, 'inputTokens'), cached, written, countIn(usage, 'outputTokens'));
  }
  const [cached, written] = [countIn(input, 'cacheRead'), countIn(input, 'cacheWrite')];
  return usageFrom(countIn(input, 'total'), cached, written, countIn(output, 'total'));
}

/** Any provider that the AI SDK speaks to. */
const provider: Provider = {
  signatures: signaturesByModel,
  usageOf: usageUnder('usage', (usage, { content }) =>
    usageOfLoop(
      usedIn(usage),
      listOf(content).some((part) => fieldsOf(part).providerExecuted === true),
    ),
  ),
  truncation: [fieldAway('contextManagement')],
  // Bedrock's marks travel in its options as well.
  passing: /^(?:cacheControl|cachePoint|cache_point)$/,
};

/**
 * The AI SDK: `ModelMessage`s as callers of `generateText` and `streamText` hold them, and the prompt that a model is
 * called with, which middleware sees. What is made here is legal as either.
 */
export const aiSdk: WireFormat = {
  ...reading,
  provider,
  serialise,
};
