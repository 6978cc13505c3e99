import type { Fields } from '../record.js';

/** One message as chat completions carry it; every field beyond these is kept and never looked at. */
export type WireMessage = Fields & { readonly role?: unknown; readonly content?: unknown };

/** The name of this format, and of whose `wire` its messages hold. */
export const FORMAT = 'openai-chat';

/** `developer` is the newer name of `system`; `function` is the answer to a legacy `function_call`. */
const ROLES: ReadonlySet<unknown> = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function']);

export function isKnownRole(role: unknown): role is string {
  return ROLES.has(role);
}

/** Fields in which servers put the model's thinking: DeepSeek and Qwen; vLLM and OpenRouter. */
export const REASONING_FIELDS = ['reasoning_content', 'reasoning'] as const;

/** OpenRouter's twin of the thinking text, with the proofs of whoever signed it; void once that text was touched. */
export const REASONING_DETAILS = 'reasoning_details';

/** The legacy field of a single call, answered by a `function` message and paired by order alone. */
export const LEGACY_CALL = 'function_call';
