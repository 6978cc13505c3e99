import type { WireFormat } from '../../spi/index.js';
import { createReader, parse } from './parse.js';
import { provider } from './provider.js';
import { serialise } from './serialise.js';
import { FORMAT } from './wire.js';

/** OpenAI's Responses API. A body's `input` that is a bare text comes back as one user message. */
export const openaiResponses: WireFormat = {
  name: FORMAT,
  messagesField: 'input',
  provider,
  parse,
  createReader,
  serialise,
};
export { parseItems } from './parse.js';
