import type { TruncationSwitch } from '../../spi/index.js';
import { PROVIDERS } from '../registry.js';

/** A request body in which trimming by the host is switched off. */
export interface Untrimmed<Body> {
  readonly body: Body;
  /** Fields that asked for trimming, e.g. `truncation: auto`. */
  readonly switchedOff: readonly string[];
}

const SWITCHES = PROVIDERS.flatMap(({ truncation = [] }) => truncation);

/**
 * Switches off the fields that let a provider or gateway cut a request silently: `truncation: auto` (OpenAI Responses),
 * `transforms: [middle-out]` (OpenRouter), `truncate` (Ollama), `context_management` (Anthropic, OpenAI Responses;
 * `contextManagement` in options of the AI SDK). No ledger records such a cut. The given body is not changed. The
 * drop-ins do this to every request.
 */
export function withoutHostTrimming<Body extends object>(
  body: Body,
  /** Switches of a provider that is not in the registry; they come first. */
  own: readonly TruncationSwitch[] = [],
): Untrimmed<Body> {
  const changed: Record<string, unknown> = { ...(body as Readonly<Record<string, unknown>>) };
  const found: string[] = [];
  for (const { field, off } of [...own, ...SWITCHES]) {
    const change = off(changed[field]);
    if (!change) continue;
    found.push(change.was);
    if (change.value === undefined) delete changed[field];
    else changed[field] = change.value;
  }
  return { body: found.length > 0 ? (changed as Body) : body, switchedOff: found };
}
