import type { WireFormat } from '../../spi/index.js';
import { createReader, parse } from './parse.js';
import { provider } from './provider.js';
import { serialise } from './serialise.js';
import { FORMAT } from './wire.js';

/** Gemini's generateContent, in camelCase or snake_case. */
export const gemini: WireFormat = {
  name: FORMAT,
  messagesField: 'contents',
  provider,
  parse,
  createReader,
  serialise,
};
