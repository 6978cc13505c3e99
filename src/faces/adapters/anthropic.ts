/** The drop-in for Anthropic's own client, and for those for Bedrock and Vertex. */
export { compactAnthropic, type AnthropicClient } from './anthropic-client.js';
export type { SessionFor } from './session-for.js';
export type { DropInOptions } from './options.js';
