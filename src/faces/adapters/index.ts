/** Drop-ins: wrappers for an agent's existing client that compact the client's requests. */
export { compactAnthropic, type AnthropicClient } from './anthropic.js';
export { compactAiSdk, type AiSdkCall } from './ai-sdk.js';
export { compactLangChain, type LangChainCompaction, type ModelRequest } from './langchain.js';
export { compactOpenAI, type OpenAIClient, type OpenAISessions } from './openai.js';
export type { DropInOptions, SessionFor } from './drop-in.js';
