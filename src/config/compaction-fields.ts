import { z } from 'zod/v4';
import { orEmpty } from './fields.js';

/** The names operators know for what a compaction may do. */
export const STRATEGIES = ['prune', 'drop', 'summarize', 'delegate', 'checkpoint'] as const;
export type Strategy = (typeof STRATEGIES)[number];

export const StrategyNames = z.union([z.enum(STRATEGIES), z.array(z.enum(STRATEGIES)).min(1)]);

export const CompactionFields = z.strictObject({
  strategy: orEmpty(StrategyNames).describe(
    'What a compaction may do, a name or a list: prune (take out, condense), drop (the oldest, down to the target), summarize, delegate (a compactor plugin), checkpoint (wait for an operator). Empty: what the roster holds.',
  ),
  summarizeFirst: z
    .boolean()
    .default(true)
    .describe(
      'Under drop: the summary stages of the roster come first; where one of their summaries cannot be had, its messages are dropped.',
    ),
  compactor: orEmpty(z.string().min(1)).describe(
    'Name of the plugin that makes compactions under delegate. Empty: the one that is loaded; where several are, one is to be named.',
  ),
  auto: z.boolean().default(true).describe('Compact when pressure says so. Off: only when asked.'),
  approval: z
    .enum(['off', 'ask'])
    .default('off')
    .describe(
      'ask: what pressure starts waits for an operator, who approves, edits or rejects the plan; until then calls pause.',
    ),
  continue: z
    .enum(['off', 'ask', 'on'])
    .default('off')
    .describe(
      'After an automatic compaction: nothing more; the host is asked; or the agent is told to go on.',
    ),
  prompt: orEmpty(z.string()).describe(
    'Prompt by which the model of the session writes its own summaries: a name in the folder of prompts, or a path. Wins over `agent`.',
  ),
  agent: orEmpty(z.string()).describe('One of summarizerAgents, in place of what `summarizer` says.'),
});
