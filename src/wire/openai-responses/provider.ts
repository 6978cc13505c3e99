import type { Provider } from '../../spi/index.js';
import { fieldAway } from '../provider/switches.js';
import { countIn, fieldsIn, usageFrom } from '../provider/usage.js';

/** OpenAI's Responses; its refusals read like those of chat completions. */
export const provider: Provider = {
  // Items are sealed, each for itself.
  signatures: () => 'step',
  usageOf: (answer) => {
    const usage = fieldsIn(fieldsIn(answer, 'response') ?? answer, 'usage');
    if (!usage) return undefined;
    const cached = countIn(usage.input_tokens_details, 'cached_tokens');
    return usageFrom(countIn(usage, 'input_tokens'), cached, 0, countIn(usage, 'output_tokens'));
  },
  truncation: [
    {
      field: 'truncation',
      off: (value) => (value === 'auto' ? { value: 'disabled', was: 'truncation: auto' } : undefined),
    },
    fieldAway('context_management'),
  ],
};
