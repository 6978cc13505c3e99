/** Drop-ins: what an agent puts around the client it has, so that its requests are compacted. */
export { compactAnthropic, type AnthropicClient } from './anthropic-client.js';
export { compactAiSdk, type AiSdkCall } from './ai-sdk.js';
export { compactLangChain, type LangChainCompaction, type ModelRequest } from './langchain.js';
export { compactOpenAI, type OpenAIClient, type OpenAISessions } from './openai-client.js';
export type { SessionFor } from './session-for.js';
export type { DropInOptions } from './options.js';
