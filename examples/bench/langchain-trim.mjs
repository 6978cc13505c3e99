// LangChain's `trimMessages` as a policy of the bench: spillway bench ... --policies staged,examples/bench/langchain-trim.mjs
import { coerceMessageLikeToMessage, trimMessages } from '@langchain/core/messages';

export const compact = async (messages, budget, { count }) => {
  const own = messages.map((message, at) =>
    coerceMessageLikeToMessage({ ...message, content: message.content ?? '', id: String(at) }),
  );
  // If nothing fits, the counter receives lists with holes.
  const theirs = (list) => list.filter(Boolean).map(({ id }) => messages[Number(id)]);
  const kept = await trimMessages(own, {
    maxTokens: budget,
    strategy: 'last',
    includeSystem: true,
    startOn: ['human', 'ai'],
    tokenCounter: (list) => count(theirs(list)),
  });
  return theirs(kept);
};
