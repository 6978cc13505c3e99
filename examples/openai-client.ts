// OpenAI's own client, compacting: OPENAI_API_KEY=… npx tsx examples/openai-client.ts
import OpenAI from 'openai';
import { compactOpenAI } from 'spillway/openai';
import { createSpillway } from 'spillway';

const model = process.env.OPENAI_MODEL ?? 'gpt-5-mini';
// #region drop-in
const spillway = await createSpillway({ model });
const session = spillway.session();
const client = compactOpenAI(new OpenAI(), { chat: session });
// #endregion drop-in

// The loop does not change: it passes its whole history each time, and the session sends a request that fits.
const messages: OpenAI.ChatCompletionMessageParam[] = [];
for (const question of ['Where does the river go?', 'And what stands beside it?']) {
  messages.push({ role: 'user', content: question });
  const { choices } = await client.chat.completions.create({ model, messages });
  messages.push(choices[0]!.message);
}
console.log(
  `${session.log.length} messages, ${session.reading.tokens} tokens, ${session.operator.history.length} compactions`,
);
