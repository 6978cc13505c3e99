import { createSpillway, replaySession, type Message } from '../../../index.js';
import { createExactCounter, createMeasure } from '../../../tokens/index.js';
import { openaiChat } from '../../../formats/index.js';
import type { ChatMessage } from './rival.js';

/** A session as OpenAI chat messages, and how much of it stood before each model call. */
export interface ChatHistory {
  readonly messages: readonly ChatMessage[];
  /** `index`: 0-based, of the assistant message that the call produced; `length`: messages before it. */
  readonly calls: readonly { readonly index: number; readonly length: number }[];
  /** Tokens, by the count that every policy is held to. */
  readonly count: (messages: readonly ChatMessage[]) => number;
}

/** Nothing leaves a window this large: its requests are the whole history, legal and in the format. */
export async function chatHistoryOf(messages: readonly Message[]): Promise<ChatHistory> {
  const spillway = await createSpillway({
    format: 'openai-chat',
    inputBudget: Number.MAX_SAFE_INTEGER,
    store: null,
  });
  const calls: { index: number; length: number }[] = [];
  const whole: ChatMessage[] = [];
  for await (const { index, prepared } of replaySession(spillway.session(), messages)) {
    const request = prepared!.messages as readonly ChatMessage[];
    whole.push(...request.slice(whole.length));
    calls.push({ index, length: whole.length });
  }
  await spillway.close();
  return { messages: whole, calls, count: await counter() };
}

async function counter(): Promise<ChatHistory['count']> {
  const measure = createMeasure(await createExactCounter('o200k_base'));
  // By what they say: a rival may write to the messages that it is given.
  const known = new Map<string, number>();
  const tokensOf = (message: ChatMessage): number => {
    const key = JSON.stringify(message);
    let tokens = known.get(key);
    if (tokens === undefined) {
      const { messages } = openaiChat.parse([message]);
      tokens = messages.reduce((sum, one) => sum + measure(one).tokens, 0);
      known.set(key, tokens);
    }
    return tokens;
  };
  return (messages) => messages.reduce((sum, one) => sum + tokensOf(one), 0);
}
