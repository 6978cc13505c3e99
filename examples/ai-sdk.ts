// A model of the AI SDK, compacting: OPENAI_API_KEY=… npx tsx examples/ai-sdk.ts
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, wrapLanguageModel, type ModelMessage } from 'ai';
import { compactAiSdk } from 'spillway/ai-sdk';
import { createSpillway } from 'spillway';

const name = process.env.OPENAI_MODEL ?? 'gpt-5-mini';
const baseURL = process.env.OPENAI_BASE_URL;
const spillway = await createSpillway({ model: name });
// #region drop-in
const session = spillway.session({ format: 'ai-sdk' });
const model = wrapLanguageModel({
  model: createOpenAI(baseURL ? { baseURL } : {}).chat(name),
  middleware: compactAiSdk(session),
});
// #endregion drop-in

// The loop does not change: it passes its whole history each time, and the session sends a request that fits.
const messages: ModelMessage[] = [];
for (const question of ['Where does the river go?', 'And what stands beside it?']) {
  messages.push({ role: 'user', content: question });
  const { response } = await generateText({ model, messages });
  messages.push(...response.messages);
}
console.log(
  `${session.log.length} messages, ${session.reading.tokens} tokens, ${session.operator.history.length} compactions`,
);
