import type { Provider, WireFormat } from '../../spi/index.js';
import { countIn, N, usageFrom, usageInField, wording } from '../provider/lore.js';
import { parser } from './parse.js';
import { serialise } from './serialise.js';

/** Google's Gemini, and Vertex. */
const provider: Provider = {
  // Each call is signed separately.
  signatures: () => 'step',
  usageOf: usageInField('usageMetadata', (usage) => {
    const output = countIn(usage, 'candidatesTokenCount') + countIn(usage, 'thoughtsTokenCount');
    return usageFrom(
      countIn(usage, 'promptTokenCount'),
      countIn(usage, 'cachedContentTokenCount'),
      0,
      output,
    );
  }),
  overflows: [
    wording(
      `input token count${N}\\)? exceeds the maximum number of tokens allowed${N}`,
      'requested',
      'inputLimit',
    ),
    wording(`exceeds the maximum number of tokens allowed${N}`, 'inputLimit'),
    // Vertex
    wording(`input token count is${N} but model only supports up to${N}`, 'requested', 'inputLimit'),
  ],
};

/** Gemini's generateContent, in camelCase or snake_case. */
export const gemini: WireFormat = {
  ...parser,
  provider,
  serialise,
};
