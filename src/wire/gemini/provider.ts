import type { Provider } from '../../spi/index.js';
import { countIn, fieldsIn, usageFrom } from '../provider/usage.js';
import { N, wording } from '../provider/wording.js';

/** Google's Gemini, and Vertex. */
export const provider: Provider = {
  // Calls are signed, each for itself.
  signatures: () => 'step',
  usageOf: (answer) => {
    const usage = fieldsIn(answer, 'usageMetadata');
    if (!usage) return undefined;
    const output = countIn(usage, 'candidatesTokenCount') + countIn(usage, 'thoughtsTokenCount');
    return usageFrom(
      countIn(usage, 'promptTokenCount'),
      countIn(usage, 'cachedContentTokenCount'),
      0,
      output,
    );
  },
  overflows: [
    wording(
      `input token count${N}\\)? exceeds the maximum number of tokens allowed${N}`,
      'requested',
      'inputLimit',
    ),
    wording(`exceeds the maximum number of tokens allowed${N}`, 'inputLimit'),
  ],
};
