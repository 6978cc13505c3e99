import { z } from 'zod/v4';
import { AgentPath } from './agent-path.js';
import { crossChecks } from './checks.js';
import { CompactionFields } from './compaction-fields.js';
import { count, orEmpty, positive, share } from './fields.js';
import { COUNTERS, PluginLimits, PluginNames, SUMMARIZERS } from './plugin-fields.js';
import { ServerFields } from './server-fields.js';
import { FillFields, SummarizerFields } from './summarizer-fields.js';
import { CompactionThresholds, gate } from './thresholds.js';

export { CompactionThresholds };

const ModelOverride = z.strictObject({
  contextWindow: count.optional().describe('Tokens; 0 set on purpose means unlimited.'),
  inputLimit: count.optional().describe('Most input tokens, where the model names such a limit.'),
  outputLimit: count.optional().describe('Most tokens the model can write in one answer.'),
});

const Fields = z.strictObject({
  model: orEmpty(z.string()).describe('Model the session talks to; its limits come from the catalogue.'),
  window: orEmpty(count).describe(
    'Window in tokens. 0: unlimited. Empty: what is known of the model, else 128,000.',
  ),
  models: z
    .record(z.string(), ModelOverride)
    .default({})
    .describe('Limits by model name; they win over the catalogue.'),
  store: orEmpty(z.string().min(1)).describe(
    'Where sessions are kept: sqlite:FILE, postgres://HOST/NAME. Empty: in memory.',
  ),
  outputCap: count.default(32_000).describe('Most output tokens reserved, whatever the model could write.'),
  reserve: z
    .strictObject({
      output: orEmpty(count).describe('Tokens kept for the answer. Empty: min(output limit, outputCap).'),
      share: share
        .default(0.25)
        .describe('Most of a window that outputCap takes; of a small window it would leave nothing.'),
      injection: count.default(0).describe('Tokens kept for content that hooks inject after compaction.'),
    })
    .prefault({})
    .describe('What is kept free of the window; the rest is the budget.'),
  safetyMargin: share.default(0.05).describe('Share of the budget left empty where counts are estimates.'),
  limits: z
    .strictObject({
      bytes: orEmpty(positive).describe('Most request bytes. Empty: no limit.'),
      images: orEmpty(count).describe('Most images in a request. Empty: no limit.'),
    })
    .prefault({})
    .describe('Limits of a request beside tokens.'),
  caps: z
    .strictObject({
      toolResults: orEmpty(
        share.describe('Most of the budget that tool results may take; passing it acts before any gate.'),
      ),
    })
    .prefault({})
    .describe('Limits of one kind of content inside the budget.'),

  sharesOf: z
    .enum(['budget', 'window'])
    .default('budget')
    .describe(
      'What thresholds, target and trim are shares of: the budget, or the window (the input limit where the model has one). No gate stands above the budget.',
    ),
  thresholds: CompactionThresholds.prefault({}).describe(
    'The pressure at which each stage opens; along the roster they may not fall.',
  ),
  target: share.default(0.6).describe('Pressure an open stage reclaims to.'),
  escalation: z
    .enum(['gates', 'target'])
    .default('gates')
    .describe(
      'gates: a later stage opens only at its own threshold. target: stages go on until the target is met.',
    ),
  minGain: orEmpty(
    share.describe(
      'A run that frees less of the budget commits nothing. Empty: three quarters of the way from the first gate to the target, at most 0.15.',
    ),
  ),
  trigger: z
    .strictObject({
      maxTokens: count.default(0).describe('Absolute trigger; wins over the first gate when above 0.'),
    })
    .prefault({})
    .describe('A trigger in tokens beside the one in shares.'),
  trim: z
    .strictObject({
      threshold: orEmpty(
        share.describe('Pressure at which duplicate synthetic messages go. Empty: not before snip.'),
      ),
      maxTokens: count.default(0).describe('Absolute trigger of the trim; wins when above 0.'),
    })
    .prefault({})
    .describe('The early trim of duplicate synthetic messages.'),
  roster: z
    .array(
      z.union([
        z.string(),
        z.strictObject({ stage: z.string().describe('Name of the stage.'), opensAt: gate('it') }),
      ]),
    )
    .default(['snip', 'micro', 'collapse', 'auto', 'partial', 'full'])
    .describe('Stages in order; a stage of your own names its gate: {stage: mine, opensAt: 0.86}.'),
  compaction: CompactionFields.prefault({}).describe(
    'What a compaction may do, whether pressure alone may start one, and who summarises: own prompt, named agent, default, nobody.',
  ),
  prune: z
    .enum(['off', 'iteration', 'compaction', 'always'])
    .default('off')
    .describe(
      'When snip also runs as a pass of its own, replacing only, leaving no record: never, after each tool result, at the head of each run, before every call.',
    ),

  pins: z
    .strictObject({
      system: z.boolean().default(true).describe('System messages are never compacted.'),
      firstUser: z.boolean().default(true).describe('The first user message is never compacted.'),
      tools: z
        .array(z.string())
        .default([])
        .describe('Tools whose results are kept verbatim: what a sub-agent hands back.'),
      patterns: z
        .array(z.string())
        .default([])
        .describe('Patterns (regular expressions): messages whose words match are never compacted.'),
      share: share.default(0.4).describe('Most of the budget pins may take; a pin over it is cut visibly.'),
      sources: z
        .array(z.string().min(1))
        .default([])
        .describe(
          'Files with instructions (AGENTS.md), read anew at each compaction: where their present words do not stand in the view, they are put back, within the share of pins.',
        ),
      root: z
        .string()
        .min(1)
        .default('.')
        .describe('Folder that these files are named from; none outside it is read.'),
    })
    .prefault({})
    .describe('Messages that no stage may touch.'),
  unseen: z
    .strictObject({
      share: share.default(0.4).describe('A fresh tool result over this share of the budget is cut to it.'),
    })
    .prefault({})
    .describe('Tool results that no request has carried yet.'),
  turns: z
    .enum(['free', 'strict'])
    .default('free')
    .describe(
      'How turns follow each other in OpenAI chat requests: as they come; or one system message and then the user and the assistant in turn, for servers whose chat template refuses anything else (Mistral, Gemma, some of Qwen).',
    ),
  reasoning: z
    .strictObject({
      signed: z
        .enum(['auto', 'keep', 'strip', 'summarise'])
        .default('auto')
        .describe(
          "What happens to signed reasoning behind a change, where the provider's signatures vouch for what stood before them: what the provider allows; it stays; it is left out, once; steps of finished turns give way to a summary.",
        ),
    })
    .prefault({})
    .describe('Reasoning that a provider has signed. It is sent as it was, or not at all.'),
  claims: z
    .strictObject({
      share: share.default(0.08).describe('Most of the budget claims may take.'),
      maxTokens: count.max(100_000).default(4_000).describe('Most tokens of claims, whatever the budget.'),
    })
    .prefault({})
    .describe('Facts carried verbatim when their source leaves the view.'),
  summary: z
    .strictObject({
      share: share
        .default(0.35)
        .describe('Of the budget: what a summary should have when the window of auto is chosen.'),
    })
    .prefault({})
    .describe('Text that stands for superseded spans.'),
  summarizer: z
    .union([z.enum(SUMMARIZERS), z.string().min(1)])
    .default('extractive')
    .describe(
      'Who summarises where neither a prompt nor an agent is named: nobody (only prunes; what does not fit is dropped), our own extraction, a model, or one that a plugin brings, by its name.',
    ),
  breaker: z
    .strictObject({
      scope: z.enum(['pipeline', 'stage']).default('pipeline').describe('What one breaker guards.'),
    })
    .prefault({})
    .describe('The circuit breaker around summarizers; its counts stand under thresholds.'),
  summarizerModel: z
    .strictObject(SummarizerFields)
    .prefault({})
    .describe('The model behind `summarizer: model`. It is never given a tool.'),
  summarizerAgents: z
    .record(
      z.string(),
      z.strictObject({
        ...SummarizerFields,
        prompt: orEmpty(z.string()).describe(
          'Prompt for its summaries: a name in the folder of prompts, or a path. Empty: as each stage has it.',
        ),
      }),
    )
    .default({})
    .describe('Agents that only summarise, by name: a model of their own, and a prompt where they have one.'),
  fill: FillFields.prefault({}).describe(
    'How a summarizer is asked for better text, once a whole plan stands without it.',
  ),
  redact: z
    .array(z.string())
    .default([])
    .describe(
      'Patterns (regular expressions) of secrets, beside the common ones; no summarizer sees what matches.',
    ),
  redactLog: z
    .boolean()
    .default(false)
    .describe(
      'Take secrets out of messages before they enter the log: no store, page, recall or export holds them. A client that sends its whole history still has its own words sent.',
    ),
  agents: z
    .record(AgentPath, z.record(z.string(), z.unknown()))
    .default({})
    .describe(
      "Settings by agent path (primary, primary/reviewer): each agent takes its parent's, key by key, and changes its own.",
    ),
  agentFiles: z
    .record(AgentPath, z.string())
    .default({})
    .describe(
      'Agent files by agent path: of their frontmatter `features.compaction` and `context` are read, in the words of the profile; `agents` wins over them.',
    ),
  counter: z
    .union([z.enum(COUNTERS), z.string().min(1)])
    .default('auto')
    .describe('How tokens are counted; auto takes what the model has. A plugin may bring others, by name.'),
  plugins: PluginNames,
  pluginLimits: PluginLimits,
  server: ServerFields,
});

/**
 * What decides how a session is kept inside its window. Stage options are added by the roster (`stages.<name>`).
 * The cross-field checks run even where a field is wrong, so that one attempt reports everything.
 */
export const Settings = Fields.superRefine(
  (value, context) => {
    for (const finding of crossChecks(value)) {
      const { path, allowed, remedy } = finding;
      const message = `allowed: ${allowed}. ${remedy}`;
      context.addIssue({ code: 'custom', path: [...path], message, params: { finding } });
    }
  },
  { when: () => true },
);

export type Settings = z.infer<typeof Settings>;
