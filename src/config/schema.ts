import { z } from 'zod/v4';
import { compactorFindings, crossChecks } from './checks.js';
import {
  AgentPath,
  count,
  flag,
  named,
  oneOf,
  orEmpty,
  positive,
  section,
  share,
  text,
  texts,
} from './fields.js';
import { jsonOf, jsonOfEach, type JsonSchema } from './json-schema.js';
import { compactionFields, CompactionThresholds, gate, PluginLimits } from './pipeline-fields.js';
import { ServerFields } from './server-fields.js';
import { FillFields, SummarizerFields } from './summarizer-fields.js';

/** What `counter` and `summarizer` may be without plugins. */
export const COUNTERS = ['auto', 'o200k_base', 'cl100k_base', 'heuristic'];
export const SUMMARIZERS = ['none', 'extractive', 'model'];

/** Names that plugins bring, for the settings that may have them. */
export interface PluginNames {
  readonly compactors: readonly string[];
  readonly summarizers: readonly string[];
  readonly counters: readonly string[];
}

const ModelOverride = z.strictObject({
  contextWindow: count.optional().describe('Tokens; 0 set on purpose means unlimited.'),
  inputLimit: count.optional().describe('Most input tokens, where the model names such a limit.'),
  outputLimit: count.optional().describe('Most tokens the model can write in one answer.'),
});

const fields = ({ compactors, summarizers, counters }: PluginNames) => ({
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
  storeMs: z
    .int()
    .min(20)
    .max(600_000)
    .default(10_000)
    .describe('How long one call of the store may take, in milliseconds, before it counts as failed.'),
  outputCap: count.default(32_000).describe('Most output tokens reserved, whatever the model could write.'),
  reserve: section('What is kept free of the window; the rest is the budget.', {
    output: orEmpty(count).describe('Tokens kept for the answer. Empty: min(output limit, outputCap).'),
    share: share
      .default(0.25)
      .describe('Most of a window that outputCap takes; of a small window it would leave nothing.'),
    injection: count.default(0).describe('Tokens kept for content that hooks inject after compaction.'),
  }),
  safetyMargin: share.default(0.05).describe('Share of the budget left empty where counts are estimates.'),
  limits: section('Limits of a request beside tokens.', {
    bytes: orEmpty(positive).describe('Most request bytes. Empty: no limit.'),
    images: orEmpty(count).describe('Most images in a request. Empty or 0: no limit.'),
  }),
  caps: section('Limits of one kind of content inside the budget.', {
    toolResults: orEmpty(
      share.describe('Most of the budget that tool results may take; passing it acts before any gate.'),
    ),
  }),

  sharesOf: oneOf(['budget', 'window'], 'budget').describe(
    'What thresholds, target and trim are shares of: the budget, or the window (the input limit where the model has one). No gate stands above the budget.',
  ),
  thresholds: CompactionThresholds.prefault({}).describe(
    'The pressure at which each stage opens; along the roster they may not fall.',
  ),
  target: share.default(0.6).describe('Pressure an open stage reclaims to.'),
  escalation: oneOf(['gates', 'target'], 'gates').describe(
    'gates: a later stage opens only at its own threshold. target: stages go on until the target is met.',
  ),
  minGain: orEmpty(
    share.describe(
      'A run that frees less of the budget commits nothing. Empty: three quarters of the way from the first gate to the target, at most 0.15.',
    ),
  ),
  trigger: section('A trigger in tokens beside the one in shares.', {
    maxTokens: count.default(0).describe('Absolute trigger; wins over the first gate when above 0.'),
  }),
  trim: section('The early trim of duplicate synthetic messages.', {
    threshold: orEmpty(
      share.describe('Pressure at which duplicate synthetic messages go. Empty: not before snip.'),
    ),
    maxTokens: count.default(0).describe('Absolute trigger of the trim; wins when above 0.'),
  }),
  roster: z
    .array(
      z.union([
        z.string(),
        z.strictObject({ stage: z.string().describe('Name of the stage.'), opensAt: gate('it') }),
      ]),
    )
    .default(['snip', 'micro', 'collapse', 'auto', 'partial', 'full'])
    .describe('Stages in order; a stage of your own names its gate: {stage: mine, opensAt: 0.86}.'),
  compaction: compactionFields(compactors),
  prune: oneOf(['off', 'iteration', 'compaction', 'always'], 'off').describe(
    'When snip, or the stage in its place, also runs as a pass of its own, leaving no record: never, after each tool result, at the head of each run, before every call.',
  ),

  pins: section('Messages that no stage may touch.', {
    system: flag(true).describe('System messages are never compacted.'),
    firstUser: flag(true).describe(
      'The first user message is never compacted, nor what programs wrote before the model first spoke.',
    ),
    tools: texts.describe('Tools whose results are kept verbatim: what a sub-agent hands back.'),
    patterns: named.describe(
      'Patterns (regular expressions): messages whose words match are never compacted.',
    ),
    share: share.default(0.4).describe('Most of the budget pins may take; a pin over it is cut visibly.'),
    sources: named.describe(
      'Files with instructions (AGENTS.md), read anew at each compaction: where their present words do not stand in the view, they are put back, within the share of pins.',
    ),
    root: text('.').describe('Folder that these files are named from; none outside it is read.'),
  }),
  unseen: section('Tool results that no request has carried yet.', {
    share: share.default(0.4).describe('A fresh tool result over this share of the budget is cut to it.'),
  }),
  turns: oneOf(['free', 'strict'], 'free').describe(
    'How turns follow each other in OpenAI chat requests: as they come; or one system message and then the user and the assistant in turn, for servers whose chat template refuses anything else (Mistral, Gemma, some of Qwen).',
  ),
  reasoning: section('Reasoning that a provider has signed. It is sent as it was, or not at all.', {
    signed: oneOf(['auto', 'keep', 'strip', 'summarise'], 'auto').describe(
      "What happens to signed reasoning behind a change, where the provider's signatures vouch for what stood before them: what the provider allows; it stays; it is left out, once; steps of finished turns give way to a summary.",
    ),
  }),
  recall: section('Automatic recall: what left comes back when it is spoken of.', {
    automatic: oneOf(['off', 'user', 'work'], 'user').describe(
      'When passages that left the view come back by themselves: never, where the newest message of the user speaks of them, or also where the newest step of the agent does.',
    ),
    maxTokens: count.max(100_000).default(2_000).describe('Most tokens that come back beside one message.'),
    share: share.default(0.125).describe('Most of the budget that comes back beside one message.'),
  }),
  summary: section('Text that stands for superseded spans.', {
    share: share
      .default(0.35)
      .describe('Of the budget: what a summary should have when the window of auto is chosen.'),
  }),
  summarizer: oneOf([...SUMMARIZERS, ...summarizers], 'extractive').describe(
    'Who summarises where neither a prompt nor an agent is named: nobody (only prunes; what does not fit is dropped), our own extraction, a model, or one that a plugin brings, by its name.',
  ),
  breaker: section('The circuit breaker around summarizers; its counts stand under thresholds.', {
    scope: oneOf(['pipeline', 'stage'], 'pipeline').describe('What one breaker guards.'),
  }),
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
  redact: texts.describe(
    'Patterns (regular expressions) of secrets, beside the common ones; no summarizer sees what matches.',
  ),
  redactLog: flag(false).describe(
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
  counter: oneOf([...COUNTERS, ...counters], 'auto').describe(
    'How tokens are counted; auto takes what the model has. A plugin may bring others, by name.',
  ),
  plugins: named.describe(
    'Plugins to load: names of packages, or paths (./plugins/mine) taken from the file that names them. Their knobs stand under knobs.',
  ),
  pluginLimits: PluginLimits,
  server: ServerFields,
});

/**
 * What decides how a session is kept inside its window. Stage options are added by the roster (`stages.<name>`).
 * The cross-field checks run even where a field is wrong, so that one attempt reports everything.
 */
export const settingsWith = (names: PluginNames) =>
  z.strictObject(fields(names)).superRefine(
    (value, context) => {
      for (const finding of [...crossChecks(value), ...compactorFindings(value, names.compactors)]) {
        const { path, allowed, remedy } = finding;
        const message = `allowed: ${allowed}. ${remedy}`;
        context.addIssue({ code: 'custom', path: [...path], message, params: { finding } });
      }
    },
    { when: () => true },
  );

/** The settings as they are without plugins. */
export const Settings = settingsWith({ compactors: [], summarizers: [], counters: [] });
export type Settings = z.infer<typeof Settings>;

/** Everything that operators may turn, as JSON Schema: types, bounds, steps, choices, defaults, titles, descriptions. */
export interface KnobSchemas {
  /** Of the settings. */
  readonly schema: JsonSchema;
  /** Options of each stage, by its name. */
  readonly stages: Readonly<Record<string, JsonSchema>>;
  /** Knobs of each plugin that has any, by its name. */
  readonly plugins: Readonly<Record<string, JsonSchema>>;
}

type ByName = Readonly<Record<string, z.ZodType>>;

export const knobSchemas = (stages: ByName, plugins: ByName, names: PluginNames): KnobSchemas => ({
  schema: jsonOf(settingsWith(names)),
  stages: jsonOfEach(stages),
  plugins: jsonOfEach(plugins),
});
