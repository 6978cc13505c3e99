import { SpillwayError } from '../errors/index.js';
import type { Provider, WireFormat } from '../spi/index.js';
import { aiSdk } from './ai-sdk/index.js';
import { anthropic } from './anthropic/index.js';
import { gemini } from './gemini/index.js';
import { langchain } from './langchain/index.js';
import { openaiChat } from './openai-chat/index.js';
import { openaiResponses } from './openai-responses/index.js';

/** The wire formats that a session can use, by name. */
export const formats: ReadonlyMap<string, WireFormat> = new Map(
  [openaiChat, anthropic, openaiResponses, gemini, aiSdk, langchain].map((format) => [format.name, format]),
);

/** A wire format by its name; an object is returned as it is. `more`: formats of plugins. Throws `INPUT_FORMAT`. */
export function formatNamed(format: string | WireFormat, more: readonly WireFormat[] = []): WireFormat {
  if (typeof format !== 'string') return format;
  const known = formats.get(format) ?? more.find(({ name }) => name === format);
  if (known) return known;
  throw new SpillwayError('INPUT_FORMAT', {
    subject: 'wire format',
    found: format,
    allowed: [...formats.keys(), ...more.map(({ name }) => name)].join(', '),
    remedy: 'Name one of these, or pass a format of your own.',
  });
}

/** The provider declarations of all formats. */
export const PROVIDERS: readonly Provider[] = [...formats.values()].map(({ provider }) => provider ?? {});
