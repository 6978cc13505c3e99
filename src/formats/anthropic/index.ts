import type { Provider, WireFormat } from '../../spi/index.js';
import {
  countIn,
  fieldAway,
  N,
  signaturesByModel,
  usageOfLoop,
  usageUnder,
  wording,
} from '../provider/lore.js';
import { fieldsOf, listOf } from '../record.js';
import { reading } from './parse.js';
import { serialise } from './serialise.js';
import { blocksOf, isServerBlock } from './wire.js';

/** Anthropic, and who serves its models. */
const provider: Provider = {
  signatures: signaturesByModel,
  usageOf: usageUnder('usage', (usage, { content }) => {
    const rounds = listOf(usage.iterations).filter((one) => fieldsOf(one).type !== 'compaction').length;
    const used = {
      inputTokens: countIn(usage, 'input_tokens'),
      cacheReadTokens: countIn(usage, 'cache_read_input_tokens'),
      cacheWriteTokens: countIn(usage, 'cache_creation_input_tokens'),
      outputTokens: countIn(usage, 'output_tokens'),
    };
    return usageOfLoop(used, rounds > 0 ? rounds > 1 : blocksOf(content).some(isServerBlock));
  }),
  overflows: [
    // The whole window, though the prompt alone is over it: a shorter one is refused with what it lets the model answer.
    wording(`prompt is too long:${N} tokens? >${N}`, 'requested', 'contextWindow'),
    wording(
      `input length and .?max_tokens.? exceed context limit:${N} \\+${N} >${N}`,
      'input',
      'output',
      'contextWindow',
    ),
  ],
  truncation: [fieldAway('context_management')],
  passing: /^cache_control$/,
};

/** Anthropic's Messages API. `parse` takes the request body, for `system` stands beside its messages. */
export const anthropic: WireFormat = {
  ...reading,
  provider,
  serialise,
};
export { fitCacheMarks } from './outbox.js';
