// Anthropic's own client, compacting: ANTHROPIC_API_KEY=… npx tsx examples/anthropic-client.ts
import Anthropic from '@anthropic-ai/sdk';
import { compactAnthropic } from 'spillway/anthropic';
import { createSpillway } from 'spillway';

const model = 'claude-sonnet-5-5';
// #region drop-in
const spillway = await createSpillway({ model });
const session = spillway.session({ format: 'anthropic' });
const client = compactAnthropic(new Anthropic(), session);
// #endregion drop-in

// The loop does not change: it passes its whole history each time, and the session sends a request that fits.
const messages: Anthropic.MessageParam[] = [];
for (const question of ['Where does the river go?', 'And what stands beside it?']) {
  messages.push({ role: 'user', content: question });
  const answer = await client.messages.create({ model, max_tokens: 1_000, messages });
  messages.push({ role: 'assistant', content: answer.content });
}
console.log(
  `${session.log.length} messages, ${session.reading.tokens} tokens, ${session.operator.history.length} compactions`,
);
await spillway.close();
