import type { Provider } from '../../spi/index.js';
import { fieldAway } from '../provider/switches.js';
import { countIn, fieldsIn } from '../provider/usage.js';
import { N, wording } from '../provider/wording.js';

/** Anthropic, and who serves its models. */
export const provider: Provider = {
  // Newer models bind thinking to its prefix; older ones pass over the thinking of finished turns.
  signatures: () => 'prefix',
  usageOf: (answer) => {
    const usage = fieldsIn(answer, 'usage');
    return (
      usage && {
        inputTokens: countIn(usage, 'input_tokens'),
        cacheReadTokens: countIn(usage, 'cache_read_input_tokens'),
        cacheWriteTokens: countIn(usage, 'cache_creation_input_tokens'),
        outputTokens: countIn(usage, 'output_tokens'),
      }
    );
  },
  overflows: [
    // The whole window, though the prompt alone is over it: a shorter one is refused with what it lets the model answer.
    wording(`prompt is too long:${N} tokens? >${N}`, 'requested', 'contextWindow'),
    wording(
      `input length and .?max_tokens.? exceed context limit:${N} \\+ [\\d,]+ >${N}`,
      'requested',
      'contextWindow',
    ),
  ],
  truncation: [fieldAway('context_management')],
  passing: /^cache_control$/,
};
