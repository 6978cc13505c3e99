/** Drop-ins: what an agent puts around the client it has, so that its requests are compacted. */
export { compactAnthropic, type AnthropicClient } from './anthropic-client.js';
export type { SessionFor } from './turns.js';
