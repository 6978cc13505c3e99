import { z } from 'zod/v4';
import { compactorFindings, crossChecks } from './checks.js';
import {
  AgentPath,
  count,
  flag,
  nonEmpty,
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

/** The values of `counter` and `summarizer` without plugins. */
export const COUNTERS = ['auto', 'o200k_base', 'cl100k_base', 'heuristic'];
export const SUMMARIZERS = ['none', 'extractive', 'model'];

/** Names from plugins, for the settings that accept them. */
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
    'Window in tokens. 0: unlimited. Empty: the known window of the model, else 128,000.',
  ),
  models: z
    .record(z.string(), ModelOverride)
    .default({})
    .describe('Limits by model name. They take precedence over the catalogue.'),
  store: orEmpty(z.string().min(1)).describe(
    'Where sessions are kept: sqlite:FILE, postgres://HOST/NAME. Empty: in memory.',
  ),
  storeMs: z
    .int()
    .min(20)
    .max(600_000)
    .default(10_000)
    .describe('How long one call of the store may take, in milliseconds, before it counts as failed.'),
  outputCap: count
    .default(32_000)
    .describe('Most tokens reserved for the answer, even if the model could write more.'),
  reserve: section('The part of the window that is kept free. The rest is the budget.', {
    output: orEmpty(count).describe('Tokens kept for the answer. Empty: min(output limit, outputCap).'),
    share: share
      .default(0.25)
      .describe('Largest share of the window for outputCap, so that a small window keeps a budget.'),
    injection: count.default(0).describe('Tokens kept for content that hooks inject after compaction.'),
  }),
  safetyMargin: share
    .default(0.05)
    .describe('Share of the budget that is left empty when token counts are estimates.'),
  limits: section('Limits of a request other than tokens.', {
    bytes: orEmpty(positive).describe('Most request bytes. Empty: no limit.'),
    images: orEmpty(count).describe('Most images in a request. Empty or 0: no limit.'),
  }),
  caps: section('Limits of one kind of content inside the budget.', {
    toolResults: orEmpty(
      share.describe(
        'Largest share of the budget for tool results. Exceeding it starts a run before any gate.',
      ),
    ),
  }),

  sharesOf: oneOf(['budget', 'window'], 'budget').describe(
    'What thresholds, target and trim are shares of: the budget, or the window (the input limit, if the model has one). No gate is above the budget.',
  ),
  thresholds: CompactionThresholds.prefault({}).describe(
    'The pressure at which each stage opens. It may not fall from one stage of the roster to the next.',
  ),
  target: share.default(0.6).describe('Pressure that an open stage reduces the request to.'),
  escalation: oneOf(['gates', 'target'], 'gates').describe(
    'gates: a later stage opens only at its own threshold. target: stages open in order until the target is met.',
  ),
  minGain: orEmpty(
    share.describe(
      'A run that frees less of the budget commits nothing. Empty: three quarters of the way from the first gate to the target, at most 0.15.',
    ),
  ),
  trigger: section('A trigger in tokens, in addition to the thresholds in shares.', {
    maxTokens: count
      .default(0)
      .describe('Tokens at which the first stage opens. Above 0 it replaces the first gate.'),
  }),
  trim: section('The early trim of duplicate synthetic messages.', {
    threshold: orEmpty(
      share.describe('Pressure at which duplicate synthetic messages are removed. Empty: not before snip.'),
    ),
    maxTokens: count
      .default(0)
      .describe('Tokens at which the trim runs. Above 0 it replaces trim.threshold.'),
  }),
  roster: z
    .array(
      z.union([
        z.string(),
        z.strictObject({ stage: z.string().describe('Name of the stage.'), opensAt: gate('it') }),
      ]),
    )
    .default(['snip', 'micro', 'collapse', 'auto', 'partial', 'full'])
    .describe('Stages in order. A stage of your own names its gate: {stage: mine, opensAt: 0.86}.'),
  compaction: compactionFields(compactors),
  prune: oneOf(['off', 'iteration', 'compaction', 'always'], 'off').describe(
    'When snip, or the stage in its place, also runs as a separate pass, which leaves no record. off: never. iteration: after each tool result. compaction: at the start of each run. always: before every call.',
  ),

  pins: section('Messages that no stage may touch.', {
    system: flag(true).describe('System messages are never compacted.'),
    firstUser: flag(true).describe(
      'The first user message is never compacted, and neither is what programs wrote before the first answer of the model.',
    ),
    tools: texts.describe('Tools whose results are kept verbatim, such as the report of a sub-agent.'),
    patterns: nonEmpty.describe('Regular expressions. A message with text that matches is never compacted.'),
    share: share
      .default(0.4)
      .describe('Largest share of the budget that pins may take. Pins over it are cut visibly.'),
    sources: nonEmpty.describe(
      'Files with instructions (AGENTS.md), read again at each compaction. If the view does not hold their present text, it is put back, within the share of pins.',
    ),
    root: text('.').describe('Folder that sources are relative to. Files outside it are not read.'),
  }),
  unseen: section('Tool results that were in no request yet.', {
    share: share
      .default(0.4)
      .describe('A fresh tool result larger than this share of the budget is cut to it.'),
  }),
  turns: oneOf(['free', 'strict'], 'free').describe(
    'The order of roles in OpenAI chat requests. free: as the messages come. strict: one system message, then user and assistant by turns, for servers whose chat template refuses anything else (Mistral, Gemma, some of Qwen).',
  ),
  reasoning: section('Reasoning that a provider has signed. It is sent unchanged, or not at all.', {
    signed: oneOf(['auto', 'keep', 'strip', 'summarise'], 'auto').describe(
      "What happens to signed reasoning after a changed message, if the provider's signatures cover the messages before them. auto: what the provider allows. keep: it stays. strip: it is left out, once. summarise: steps of finished turns are replaced by a summary.",
    ),
  }),
  recall: section('Automatic recall: passages that left the view come back when a message speaks of them.', {
    automatic: oneOf(['off', 'user', 'work'], 'user').describe(
      'When passages come back automatically. off: never. user: if the newest message of the user speaks of them. work: also if the newest step of the agent does.',
    ),
    maxTokens: count.max(100_000).default(2_000).describe('Most tokens that come back with one message.'),
    share: share.default(0.125).describe('Largest share of the budget that comes back with one message.'),
  }),
  summary: section('Text that replaces superseded spans.', {
    share: share
      .default(0.35)
      .describe('Share of the budget that a summary should have when auto chooses its window.'),
  }),
  summarizer: oneOf([...SUMMARIZERS, ...summarizers], 'extractive').describe(
    'Who writes summaries if neither compaction.prompt nor compaction.agent is set. none: no one; stages only prune, and what does not fit is dropped. extractive: Spillway, without a model. model: the model under summarizerModel. A summarizer of a plugin goes by its name.',
  ),
  breaker: section('The circuit breaker around summarizers. Its counts are under thresholds.', {
    scope: oneOf(['pipeline', 'stage'], 'pipeline').describe('What one breaker guards: all stages, or one.'),
  }),
  summarizerModel: z
    .strictObject(SummarizerFields)
    .prefault({})
    .describe('The model for `summarizer: model`. It never gets a tool.'),
  summarizerAgents: z
    .record(
      z.string(),
      z.strictObject({
        ...SummarizerFields,
        prompt: orEmpty(z.string()).describe(
          'Prompt for its summaries: a name in the folder of prompts, or a path. Empty: the prompt of each stage.',
        ),
      }),
    )
    .default({})
    .describe('Agents that only summarise, by name, each with its own model and optional prompt.'),
  fill: FillFields.prefault({}).describe(
    'How a summarizer is asked for better text, once a complete plan exists without it.',
  ),
  redact: texts.describe(
    'Regular expressions of secrets, in addition to the common ones. No summarizer sees text that matches.',
  ),
  redactLog: flag(false).describe(
    'Removes secrets from messages before they enter the log, so that no store, page, recall or export holds them. The words of a client that sends its whole history are still sent to the model unchanged.',
  ),
  agents: z
    .record(AgentPath, z.record(z.string(), z.unknown()))
    .default({})
    .describe(
      'Settings by agent path (primary, primary/reviewer). Each agent inherits the settings of its parent, key by key, and overrides its own.',
    ),
  agentFiles: z
    .record(AgentPath, z.string())
    .default({})
    .describe(
      'Agent files by agent path. Spillway reads `features.compaction` and `context` of their frontmatter, in the terms of the profile. `agents` takes precedence over them.',
    ),
  counter: oneOf([...COUNTERS, ...counters], 'auto').describe(
    'How tokens are counted. auto: the tokenizer of the model. A plugin may add others, by name.',
  ),
  plugins: nonEmpty.describe(
    'Plugins to load: names of packages, or paths (./plugins/mine) relative to the file that names them. Their settings are under knobs.',
  ),
  pluginLimits: PluginLimits,
  server: ServerFields,
});

/**
 * The settings that keep a session inside its window. The roster adds stage options (`stages.<name>`). The cross-field
 * checks run even if a field is wrong, so that one attempt reports everything.
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

/** The settings without plugins. */
export const Settings = settingsWith({ compactors: [], summarizers: [], counters: [] });
export type Settings = z.infer<typeof Settings>;

/** Everything that operators may set, as JSON Schema: types, bounds, steps, choices, defaults, titles, descriptions. */
export interface KnobSchemas {
  /** The schema of the settings. */
  readonly schema: JsonSchema;
  /** Options of each stage, by its name. */
  readonly stages: Readonly<Record<string, JsonSchema>>;
  /** Knobs of each plugin that has knobs, by its name. */
  readonly plugins: Readonly<Record<string, JsonSchema>>;
}

type ByName = Readonly<Record<string, z.ZodType>>;

export const knobSchemas = (stages: ByName, plugins: ByName, names: PluginNames): KnobSchemas => ({
  schema: jsonOf(settingsWith(names)),
  stages: jsonOfEach(stages),
  plugins: jsonOfEach(plugins),
});
