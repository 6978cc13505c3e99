import type { WireFormat } from '../../spi/index.js';
import { createReader, parse } from './parse.js';
import { provider } from './provider.js';
import { serialise } from './serialise.js';
import { FORMAT } from './wire.js';

/** Anthropic's Messages API. `parse` takes the request body, for `system` stands beside its messages. */
export const anthropic: WireFormat = {
  name: FORMAT,
  messagesField: 'messages',
  provider,
  parse,
  createReader,
  serialise,
};
export { fitCacheMarks } from './cache-marks.js';
