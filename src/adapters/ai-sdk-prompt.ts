import { isFields, type Fields } from '../wire/index.js';
import { storable } from './ai-sdk-files.js';

/** A part of an answer as a prompt holds it. */
export function asPrompt({ type, providerMetadata, ...part }: Fields): Fields {
  const options = providerMetadata === undefined ? {} : { providerOptions: providerMetadata };
  if (type === 'tool-call') return { type, ...part, input: parsed(part.input), ...options };
  if (type === 'tool-result') return { ...resultAsPrompt(part), ...options };
  return storable({ type, ...part, ...options });
}

/** What a tool gave that the provider ran itself. */
function resultAsPrompt({ toolCallId, toolName, result, isError }: Fields): Fields {
  const kind = typeof result === 'string' ? 'text' : 'json';
  const output = { type: isError === true ? `error-${kind}` : kind, value: result ?? null };
  return { type: 'tool-result', toolCallId, toolName, output };
}

function parsed(input: unknown): unknown {
  if (typeof input !== 'string') return input ?? {};
  try {
    return JSON.parse(input || '{}') as unknown;
  } catch {
    return {};
  }
}

const optionsOf = ({ providerMetadata }: Fields): readonly [string, unknown][] =>
  isFields(providerMetadata) ? Object.entries(providerMetadata) : [];

/** Whether its provider knows a part by a name of its own. */
export const hasItemId = (part: Fields): boolean =>
  optionsOf(part).some(([, options]) => isFields(options) && typeof options.itemId === 'string');

export function withoutItemId(part: Fields): Fields {
  const options = optionsOf(part).map(([name, of]) => {
    if (!isFields(of)) return [name, of];
    const { itemId: _, ...rest } = of;
    return [name, rest];
  });
  return { ...part, ...(options.length > 0 && { providerMetadata: Object.fromEntries(options) as Fields }) };
}
