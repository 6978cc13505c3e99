import type { Provider, WireFormat } from '../../spi/index.js';
import type { Usage } from '../../tokens/index.js';
import {
  countIn,
  switchOffField,
  signaturesByModel,
  usageFrom,
  usageOfLoop,
  usageInField,
} from '../provider/lore.js';
import { fieldsOf, isFields, listOf, type Fields } from '../record.js';
import { parser } from './parse.js';
import { serialise } from './serialise.js';

/** Usage of a model of the third version, which reports cached tokens; of a result; or of a model of the second. */
function usageIn(usage: Fields): Usage {
  const { inputTokens: input, outputTokens: output, inputTokenDetails: details } = usage;
  if (!isFields(input)) {
    const cached = countIn(usage, 'cachedInputTokens') || countIn(details, 'cacheReadTokens');
    const written = countIn(details, 'cacheWriteTokens');
    return usageFrom(countIn(usage, 'inputTokens'), cached, written, countIn(usage, 'outputTokens'));
  }
  const [cached, written] = [countIn(input, 'cacheRead'), countIn(input, 'cacheWrite')];
  return usageFrom(countIn(input, 'total'), cached, written, countIn(output, 'total'));
}

/** Any provider that the AI SDK supports. */
const provider: Provider = {
  signatures: signaturesByModel,
  usageOf: usageInField('usage', (usage, { content }) =>
    usageOfLoop(
      usageIn(usage),
      listOf(content).some((part) => fieldsOf(part).providerExecuted === true),
    ),
  ),
  truncation: [switchOffField('contextManagement')],
  // Bedrock's cache marks are in its options as well. Mastra puts the time of each call into options of its own.
  passing: /^(?:cacheControl|cachePoint|cache_point|mastra)$/,
};

/**
 * The AI SDK: `ModelMessage`s as callers of `generateText` and `streamText` have them, and the prompt of a model call,
 * which middleware sees. Messages made here are legal as either.
 */
export const aiSdk: WireFormat = {
  ...parser,
  provider,
  serialise,
};
