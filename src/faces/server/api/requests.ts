import { z } from 'zod/v4';
import { AgentPath } from '../../../config/index.js';
import { SESSION_NAME } from '../access.js';

/** Shapes of requests to the HTTP API. Names follow URLs and operators' documents: words with underscores. */

export const AgentQuery = z.strictObject({
  agent_path: AgentPath.default('primary').describe('Agent path within the session.'),
});

/** For bodies. It has no default, because the query names the agent if the body does not. */
export const agentField = { agent_path: AgentPath.optional().describe('Agent path within the session.') };

export const SessionParams = z.object({ id: z.string().min(1) });

const cursorLike = (shape: RegExp) =>
  z.string().regex(shape).optional().describe('The `next` value of the previous page.');

export const PageQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(500).default(50),
  cursor: cursorLike(/^\d{1,9}$/),
});
const TIMES = /^-?[\d.]{1,20}_-?[\d.]{1,20}(_\d{1,9})?$/;
export const ThreadsQuery = PageQuery.extend({ cursor: cursorLike(TIMES) });

export const PagedAgentQuery = AgentQuery.extend(PageQuery.shape);

const pressure = z.number().min(0).max(1);

/** Settings of one compaction that differ from the service's; none of them is kept. */
export const RunOverrides = z.strictObject({
  strategy: z
    .enum(['prune', 'drop', 'summarize', 'delegate', 'checkpoint'])
    .optional()
    .describe(
      'prune: take out and condense tool output. drop: the oldest, down to the target. summarize: a summary for older spans. delegate: a compactor plugin. checkpoint: as the settings say, and the plan waits for approval.',
    ),
  summarize: z.boolean().optional().describe('Whether a configured model may write the text.'),
  upper_threshold: pressure.optional().describe('Pressure at which the first stage opens.'),
  lower_threshold: pressure.optional().describe('Pressure to compact down to.'),
  retain_count: z.int().min(0).optional().describe('Messages at the end that stay.'),
  prompt: z
    .string()
    .min(1)
    .optional()
    .describe('Prompt for the summaries: a name in the folder of prompts, or a path.'),
  settings: z.looseObject({}).optional().describe('Any other settings, as in a configuration file.'),
});
export type RunOverrides = z.infer<typeof RunOverrides>;

export const CompactBody = RunOverrides.extend({
  ...agentField,
  dry_run: z.boolean().default(false).describe('Show what would be done, and do nothing.'),
});

export const PlanBody = RunOverrides.extend(agentField);

export const UsageBody = z.strictObject({
  ...agentField,
  input_tokens: z.int().min(0).describe('Not from a cache.'),
  cache_read_tokens: z.int().min(0).default(0),
  cache_write_tokens: z.int().min(0).default(0),
  output_tokens: z.int().min(0),
  is_sum: z
    .boolean()
    .default(false)
    .describe('The provider ran tools of its own, and the input is that of several requests.'),
});

export const CreateBody = z.strictObject({
  id: z.string().regex(SESSION_NAME).optional(),
  ...agentField,
  format: z
    .string()
    .optional()
    .describe('Wire format of its requests. Default for a new session: openai-chat.'),
  model: z.string().optional(),
});

export const PrepareBody = z.strictObject({
  ...agentField,
  request: z
    .looseObject({})
    .optional()
    .describe(
      "A whole request body in the session's format. New messages in it are appended to the log first.",
    ),
  model: z.string().optional(),
  max_output_tokens: z.int().min(1).optional(),
});
