import type { WireFormat } from '../../spi/index.js';
import { createReader, parse } from './parse.js';
import { provider } from './provider.js';
import { serialise } from './serialise.js';
import { FORMAT } from './wire.js';

/** OpenAI chat completions, and the many servers that speak it. */
export const openaiChat: WireFormat = {
  name: FORMAT,
  messagesField: 'messages',
  provider,
  parse,
  createReader,
  serialise,
};
export { withTurns } from './strict-turns.js';
export { isKnownRole } from './wire.js';
