// Functions over lists of messages as stages: npx tsx examples/reducers.ts
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { createSpillway, openaiChat, reducerStage, type ContextMessage, type Message } from 'spillway';

const EXPIRED = '[result expired]';

/** The cheap first stage: keeps full results for a number of turns. Its state counts the results that have expired. */
export const expire = reducerStage({
  name: 'expire',
  summary: 'Puts a notice in the place of results that are older than so many turns.',
  options: z.strictObject({ turns: z.number().int().min(1).default(3) }),
  reduce(context, budget, state: { expired: number } | undefined, { turns }) {
    let expired = state?.expired ?? 0;
    const reduced = context.map((message): Message => {
      if (message.fixed !== undefined || message.turnsAgo < turns) return message;
      return {
        ...message,
        parts: message.parts.map((part) => {
          if (part.type !== 'tool-result') return part;
          const long = part.content.some(
            (inner) => inner.type !== 'text' || budget.count(inner.text) > budget.count(EXPIRED),
          );
          if (!long) return part;
          expired++;
          return { ...part, content: [{ type: 'text' as const, text: EXPIRED }] };
        }),
      };
    });
    return { context: reduced, state: { expired } };
  },
});

/** The expensive last stage: one message at the front replaces the oldest ones; the tail stays byte for byte. */
export const collapsePrefix = reducerStage({
  name: 'collapse-prefix',
  summary: 'Puts a line in the place of the oldest messages, until the rest fits.',
  reduce(context, budget, state: { coversUpTo: string } | undefined) {
    const leaves = oldest(context, budget.tokens);
    if (leaves.length < 2) return { context, ...(state && { state }) };
    const line = `[${leaves.length} earlier messages were left out, ${leaves[0]!.id} to ${leaves.at(-1)!.id}]`;
    const note: Message = {
      id: `collapsed-${leaves[0]!.id}-${leaves.at(-1)!.id}`,
      role: 'assistant',
      origin: 'synthetic',
      parts: [{ type: 'text', text: line }],
    };
    const reduced = context.flatMap((message): readonly Message[] =>
      message === leaves[0] ? [note] : leaves.includes(message) ? [] : [message],
    );
    return { context: reduced, state: { coversUpTo: leaves.at(-1)!.id } };
  },
});

/** Whole exchanges, from the oldest removable one on, until the rest takes at most the given tokens. */
function oldest(context: readonly ContextMessage[], tokens: number): ContextMessage[] {
  const leaves: ContextMessage[] = [];
  let left = tokensOf(context);
  let at: number | undefined;
  for (const message of context) {
    const goesOn = message.exchange === at;
    if (left <= tokens && !goesOn) break;
    if (message.fixed === 'pinned') continue;
    if (message.fixed !== undefined) break;
    at = message.exchange;
    leaves.push(message);
    left -= message.tokens;
  }
  return leaves;
}

const tokensOf = (messages: readonly ContextMessage[]): number =>
  messages.reduce((sum, { tokens }) => sum + tokens, 0);

/** Thirty questions, each answered by a tool. */
export const LONG = openaiChat.parse([
  { role: 'system', content: 'You look things up.' },
  ...Array.from({ length: 30 }, (_, i) => [
    { role: 'user', content: `What does page ${i} say?` },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: `c${i}`, type: 'function', function: { name: 'page', arguments: `{"page":${i}}` } }],
    },
    {
      role: 'tool',
      tool_call_id: `c${i}`,
      content: `Page ${i}\n${'the mill stands by the river\n'.repeat(40)}`,
    },
    { role: 'assistant', content: `Page ${i} says that the mill stands by the river.` },
  ]).flat(),
  { role: 'user', content: 'And what does the last page say?' },
]).messages;

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const spillway = await createSpillway({
    inputBudget: 2_000,
    stages: [expire, collapsePrefix],
    settings: {
      counter: 'heuristic',
      roster: [
        { stage: 'expire', opensAt: 0.8 },
        { stage: 'collapse-prefix', opensAt: 0.8 },
      ],
    },
  });
  const session = spillway.session();
  session.append(...LONG);
  const before = session.reading.pressure;
  const { run, reading } = await session.prepare();
  for (const { stage, edits, before, after } of run.stages)
    console.log(`${stage}: ${edits} edits, ${before.tokens} to ${after.tokens} tokens`);
  const percent = (pressure: number): string => `${Math.round(100 * pressure)} %`;
  console.log(`${run.kind}, pressure ${percent(before)} -> ${percent(reading.pressure)}`);
}
