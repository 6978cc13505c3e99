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

// The loop stays as it was: it sends its whole history each time, and only what fits is sent on.
const messages: OpenAI.ChatCompletionMessageParam[] = [];
for (const question of ['Where does the river go?', 'And what stands beside it?']) {
  messages.push({ role: 'user', content: question });
  const { choices } = await client.chat.completions.create({ model, messages });
  messages.push(choices[0]!.message);
}
console.log(
  `${session.log.length} messages, ${session.reading.tokens} tokens, ${session.operator.history.length} compactions`,
);
