import { validateAiSdk } from './wire/ai-sdk.js';
import { validateAnthropic } from './wire/anthropic.js';
import type { WireFault } from './wire/faults.js';
import { validateGemini } from './wire/gemini.js';
import { validateLangChain } from './wire/langchain.js';
import { validateOpenAiChat } from './wire/openai-chat.js';
import { validateOpenAiResponses } from './wire/openai-responses.js';

/**
 * Judges any request in one format: the whole body as it would be sent, or the bare message list. Faults are returned
 * as values, in order; no fault means that the provider would accept the request. Never throws, for any input.
 */
export type WireValidator = (request: unknown) => readonly WireFault[];

/** Validators by format name. The only place where a format's validator is registered. */
export const validators: ReadonlyMap<string, WireValidator> = new Map<string, WireValidator>([
  ['ai-sdk', (request) => validateAiSdk(request)],
  ['anthropic', validateAnthropic],
  ['langchain', (request) => validateLangChain(request)],
  ['openai-chat', (request) => validateOpenAiChat(listIn(request, 'messages'))],
  ['gemini', (request) => validateGemini(request)],
  ['openai-responses', (request) => validateOpenAiResponses(request)],
]);

/** The messages of a body; a bare list is returned as it is. */
function listIn(request: unknown, field: string): unknown {
  if (Array.isArray(request) || typeof request !== 'object' || request === null) return request;
  return (request as Readonly<Record<string, unknown>>)[field];
}
