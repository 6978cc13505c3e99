import type { WireFormat } from '../../spi/index.js';
import { createReader, parse } from './parse.js';
import { serialise } from './serialise.js';
import { FORMAT } from './wire.js';

/** Gemini's generateContent, in camelCase or snake_case. */
export const gemini: WireFormat = {
  name: FORMAT,
  messagesField: 'contents',
  // Calls are signed, each for itself.
  provider: { signatures: 'step' },
  parse,
  createReader,
  serialise,
};
