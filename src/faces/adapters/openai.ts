/** The drop-in for OpenAI's own client, and for any that looks like it. */
export { compactOpenAI, type OpenAIClient, type OpenAISessions } from './openai-client.js';
export type { SessionFor } from './session-for.js';
export type { DropInOptions } from './options.js';
