import type { Provider } from '../../spi/index.js';
import { signaturesByModel } from '../provider/signatures.js';
import { countIn, fieldsIn, usageFrom } from '../provider/usage.js';

/** Any provider that LangChain speaks to. */
export const provider: Provider = {
  signatures: signaturesByModel,
  usageOf: (answer) => {
    const usage = fieldsIn(answer, 'usage_metadata');
    if (!usage) return undefined;
    const details = usage.input_token_details;
    const [read, written] = [countIn(details, 'cache_read'), countIn(details, 'cache_creation')];
    return usageFrom(countIn(usage, 'input_tokens'), read, written, countIn(usage, 'output_tokens'));
  },
  // What its classes keep beside the message.
  passing: /^lc_/,
};
