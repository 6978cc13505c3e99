import type { Provider, WireFormat } from '../../spi/index.js';
import {
  countIn,
  switchOffField,
  N,
  signaturesByModel,
  usageOfLoop,
  usageInField,
  wording,
} from '../provider/lore.js';
import { fieldsOf, listOf } from '../record.js';
import { parser } from './parse.js';
import { serialise } from './serialise.js';
import { blocksOf, isServerBlock } from './wire.js';

/** Anthropic, and the hosts of its models. */
const provider: Provider = {
  signatures: signaturesByModel,
  usageOf: usageInField('usage', (usage, { content }) => {
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
    // The figure is the whole window: a shorter prompt is refused together with its room for the answer.
    wording(`prompt is too long:${N} tokens? >${N}`, 'requested', 'contextWindow'),
    wording(
      `input length and .?max_tokens.? exceed context limit:${N} \\+${N} >${N}`,
      'input',
      'output',
      'contextWindow',
    ),
  ],
  truncation: [switchOffField('context_management')],
  passing: /^cache_control$/,
};

/** Anthropic's Messages API. `parse` takes the request body, because `system` is next to the messages. */
export const anthropic: WireFormat = {
  ...parser,
  provider,
  serialise,
};
export { fitCacheMarks } from './outbox.js';
