import type { WireFormat } from '../../spi/index.js';
import { createReader, parse } from './parse.js';
import { provider } from './provider.js';
import { serialise } from './serialise.js';
import { copyOfMessage, FORMAT } from './wire.js';

/**
 * LangChain messages: instances of its classes, both of its serialised forms, and bare fields. What is made here comes
 * in the form of the list it stands in; among instances, as bare fields, which LangChain coerces.
 */
export const langchain: WireFormat = {
  name: FORMAT,
  messagesField: 'messages',
  provider,
  parse,
  createReader,
  copyInstance: copyOfMessage,
  serialise,
};
