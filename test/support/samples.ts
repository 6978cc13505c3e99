import { everything as aiSdk } from '../unit/formats/ai-sdk/requests.js';
import { everything as anthropic } from '../unit/formats/anthropic/bodies.js';
import { everything as langchain } from '../unit/formats/langchain/requests.js';
import { everything as gemini } from './gemini.js';
import { everything as responses } from './responses.js';

/** DeepSeek's reasoning is the only one that a chat request carries. */
const chat = [
  { role: 'user', content: 'go' },
  {
    role: 'assistant',
    content: null,
    reasoning_content: 'I look first.',
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{"at":1}' } }],
  },
  { role: 'tool', tool_call_id: 'c1', content: 'a cat' },
  { role: 'user', content: 'and?' },
];

/** Bodies as each provider's own clients send them, as JSON. */
export const SAMPLES: Readonly<Record<string, readonly unknown[]>> = {
  'ai-sdk': [aiSdk()],
  anthropic: [anthropic()],
  gemini: [gemini()],
  langchain: [langchain()],
  'openai-chat': [chat],
  'openai-responses': [responses()],
};
