import type { Provider, WireFormat } from '../../spi/index.js';
import { countIn, switchOffField, usageFrom, usageOfLoop, usageInField } from '../provider/lore.js';
import { fieldsOf, asText, listOf } from '../record.js';
import { parser } from './parse.js';
import { serialise } from './serialise.js';

/** Items of an answer for tools that OpenAI ran itself; a client sends its own results in its next request. */
const SERVER_RUN = /^(?:web_search|file_search|code_interpreter|image_generation|mcp)_call$|_output$/;

const isServerRun = (item: unknown): boolean => SERVER_RUN.test(asText(fieldsOf(item).type));

const usageOf = usageInField('usage', (usage, { output }) => {
  const { input_tokens_details: details } = usage;
  const [cached, written] = [countIn(details, 'cached_tokens'), countIn(details, 'cache_write_tokens')];
  const used = usageFrom(countIn(usage, 'input_tokens'), cached, written, countIn(usage, 'output_tokens'));
  return usageOfLoop(used, listOf(output).some(isServerRun));
});

/** OpenAI's Responses; refusals have the wordings of chat completions. */
const provider: Provider = {
  // Each item is sealed separately.
  signatures: () => 'step',
  // Events of a stream contain the answer under `response`.
  usageOf: (answer) => usageOf(fieldsOf(answer).response ?? answer),
  truncation: [
    {
      field: 'truncation',
      off: (value) => (value === 'auto' ? { value: 'disabled', was: 'truncation: auto' } : undefined),
    },
    switchOffField('context_management'),
  ],
};

/** OpenAI's Responses API. A body's `input` that is a bare text is returned as one user message. */
export const openaiResponses: WireFormat = {
  ...parser,
  provider,
  serialise,
};
