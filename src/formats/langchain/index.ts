import type { Provider, WireFormat } from '../../spi/index.js';
import { serverCallOf } from '../conversation/server-calls.js';
import { countIn, signaturesByModel, usageFrom, usageOfLoop, usageUnder } from '../provider/lore.js';
import { fieldsOf, listOf } from '../record.js';
import { reading } from './parse.js';
import { serialise } from './serialise.js';
import { copyOfMessage } from './wire.js';

export { bare } from './wire.js';

/** Any provider that LangChain speaks to. */
const provider: Provider = {
  signatures: signaturesByModel,
  usageOf: usageUnder('usage_metadata', (usage, { content, additional_kwargs: more }) => {
    const details = usage.input_token_details;
    const [read, written] = [countIn(details, 'cache_read'), countIn(details, 'cache_creation')];
    const used = usageFrom(countIn(usage, 'input_tokens'), read, written, countIn(usage, 'output_tokens'));
    const isOfServer = (block: unknown): boolean => Object.keys(serverCallOf(fieldsOf(block))).length > 0;
    return usageOfLoop(
      used,
      listOf(fieldsOf(more).tool_outputs).length > 0 || listOf(content).some(isOfServer),
    );
  }),
  // What its classes keep beside the message.
  passing: /^lc_/,
};

/**
 * LangChain messages: instances of its classes, both of its serialised forms, and bare fields. What is made here comes
 * in the form of the list it stands in; among instances, as bare fields, which LangChain coerces.
 */
export const langchain: WireFormat = {
  ...reading,
  provider,
  copyInstance: copyOfMessage,
  serialise,
};
