// An agent of LangChain, compacting: OPENAI_API_KEY=… npx tsx examples/langchain.ts
import { ChatOpenAI } from '@langchain/openai';
import { createAgent, createMiddleware } from 'langchain';
import { compactLangChain } from 'spillway/langchain';
import { createSpillway } from 'spillway';

const model = process.env.OPENAI_MODEL ?? 'gpt-5-mini';
const baseURL = process.env.OPENAI_BASE_URL;
const spillway = await createSpillway({ model, format: 'langchain' });
// #region drop-in
const session = spillway.session({ format: 'langchain' });
const agent = createAgent({
  model: new ChatOpenAI({ model, configuration: baseURL ? { baseURL } : {} }),
  tools: [],
  middleware: [createMiddleware(compactLangChain(session))],
});
// #endregion drop-in

// The agent's state keeps every message; each call of the model gets a request that fits.
let { messages } = await agent.invoke({ messages: 'Where does the river go?' });
({ messages } = await agent.invoke({ messages: [...messages, { role: 'user', content: 'And then?' }] }));
console.log(
  `${messages.length} messages, ${session.reading.tokens} tokens, ${session.operator.history.length} compactions`,
);
