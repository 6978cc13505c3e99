import type { Provider, WireFormat } from '../../spi/index.js';
import { serverCallOf } from '../conversation/server-calls.js';
import { countIn, signaturesByModel, usageFrom, usageOfLoop, usageInField } from '../provider/lore.js';
import { fieldsOf, listOf } from '../record.js';
import { parser } from './parse.js';
import { serialise } from './serialise.js';
import { copyOfMessage } from './wire.js';

export { bareMessage } from './wire.js';

/** Any provider that LangChain supports. */
const provider: Provider = {
  signatures: signaturesByModel,
  usageOf: usageInField('usage_metadata', (usage, { content, additional_kwargs: more }) => {
    const details = usage.input_token_details;
    const [read, written] = [countIn(details, 'cache_read'), countIn(details, 'cache_creation')];
    const used = usageFrom(countIn(usage, 'input_tokens'), read, written, countIn(usage, 'output_tokens'));
    const isOfServer = (block: unknown): boolean => Object.keys(serverCallOf(fieldsOf(block))).length > 0;
    return usageOfLoop(
      used,
      listOf(fieldsOf(more).tool_outputs).length > 0 || listOf(content).some(isOfServer),
    );
  }),
  // Fields that LangChain's classes keep in addition to the message.
  passing: /^lc_/,
};

/**
 * LangChain messages: instances of its classes, both of its serialised forms, and bare fields. Messages made here have
 * the form of the list that they are in; among instances they are bare fields, which LangChain coerces.
 */
export const langchain: WireFormat = {
  ...parser,
  provider,
  copyInstance: copyOfMessage,
  serialise,
};
