import type { WireFormat } from '../../spi/index.js';
import { createReader, parse } from './parse.js';
import { provider } from './provider.js';
import { serialise } from './serialise.js';
import { FORMAT } from './wire.js';

/**
 * The AI SDK: `ModelMessage`s as callers of `generateText` and `streamText` hold them, and the prompt that a model is
 * called with, which middleware sees. What is made here is legal as either.
 */
export const aiSdk: WireFormat = {
  name: FORMAT,
  messagesField: 'messages',
  provider,
  parse,
  createReader,
  serialise,
};
