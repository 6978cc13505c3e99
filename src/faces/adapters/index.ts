/** Drop-ins: what an agent puts around the client it has, so that its requests are compacted. */
export { compactAnthropic, type AnthropicClient } from './anthropic.js';
export { compactAiSdk, type AiSdkCall } from './ai-sdk.js';
export { compactLangChain, type LangChainCompaction, type ModelRequest } from './langchain.js';
export { compactOpenAI, type OpenAIClient, type OpenAISessions } from './openai.js';
export type { DropInOptions, SessionFor } from './drop-in.js';
