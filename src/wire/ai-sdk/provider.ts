import type { Provider } from '../../spi/index.js';
import { fieldAway } from '../provider/switches.js';
import { signaturesByModel } from '../provider/signatures.js';
import { countIn, fieldsIn, usageFrom } from '../provider/usage.js';
import { isFields } from '../record.js';

/** Any provider that the AI SDK speaks to. */
export const provider: Provider = {
  signatures: signaturesByModel,
  usageOf: (answer) => {
    const usage = fieldsIn(answer, 'usage');
    if (!usage) return undefined;
    // Of the third version, which tells what came from the cache, or of the second.
    const { inputTokens: input, outputTokens: output } = usage;
    if (!isFields(input)) {
      const cached = countIn(usage, 'cachedInputTokens');
      return usageFrom(countIn(usage, 'inputTokens'), cached, 0, countIn(usage, 'outputTokens'));
    }
    const [cached, written] = [countIn(input, 'cacheRead'), countIn(input, 'cacheWrite')];
    return usageFrom(countIn(input, 'total'), cached, written, countIn(output, 'total'));
  },
  truncation: [fieldAway('contextManagement')],
  // Bedrock's marks travel in its options as well.
  passing: /^(?:cacheControl|cachePoint|cache_point)$/,
};
