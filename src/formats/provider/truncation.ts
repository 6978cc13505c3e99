import type { TruncationSwitch } from '../../spi/index.js';
import { PROVIDERS } from '../registry.js';

/** A request body with trimming by the host switched off, and what was. */
export interface Untrimmed<Body> {
  readonly body: Body;
  /** Fields that had asked for it, e.g. `truncation: auto`. */
  readonly switchedOff: readonly string[];
}

const SWITCHES = PROVIDERS.flatMap(({ truncation = [] }) => truncation);

/**
 * Switches off what lets a provider or gateway cut a request silently: `truncation: auto` (OpenAI Responses),
 * `transforms: [middle-out]` (OpenRouter), `truncate` (Ollama), `context_management` (Anthropic,
 * OpenAI Responses; `contextManagement` in options of the AI SDK). What is cut there is in no ledger. The body that was
 * given is not changed. The drop-ins do this to every request.
 */
export function withoutHostTrimming<Body extends object>(
  body: Body,
  /** Of a provider that is not known here; they come first. */
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
