import type { Provider, WireFormat } from '../../spi/index.js';
import { countIn, fieldAway, fieldsIn, usageFrom } from '../provider/lore.js';
import { reading } from './parse.js';
import { serialise } from './serialise.js';

/** OpenAI's Responses; its refusals read like those of chat completions. */
const provider: Provider = {
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

/** OpenAI's Responses API. A body's `input` that is a bare text comes back as one user message. */
export const openaiResponses: WireFormat = {
  ...reading,
  provider,
  serialise,
};
