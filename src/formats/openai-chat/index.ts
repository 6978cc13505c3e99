import type { WireFormat } from '../../spi/index.js';
import { parse } from './parse.js';
import { createWriter, serialise } from './serialise.js';

/** OpenAI chat completions, and the many servers that speak it. */
export const openaiChat: WireFormat = { name: 'openai-chat', parse, serialise, createWriter };
export { chatLines } from './lines.js';
