import { isMapping, keysOfStars, type Path } from './path.js';

/** Our setting for a setting of a document: one or several paths, and the unit if the document has another. */
type Name =
  | string
  | {
      /** Absent: we have no such setting. */
      readonly to?: string | readonly string[];
      /** The document's number for the whole; our value is a share of it. */
      readonly of?: number;
      /** If the share is below this number, the target becomes this part of the share. */
      readonly target?: number;
      /** The document's values and ours. */
      readonly values?: readonly (readonly [value: unknown, ours: unknown])[];
      /** The accepted values, in words; without it any other value is passed on. */
      readonly allowed?: string;
      /** Settings that are set in addition. */
      readonly sets?: Readonly<Record<string, unknown>>;
    };

/** A document's names by path; `*` is any key, and the same key in our path. */
export type Names = Readonly<Record<string, Name>>;

const GATES = ['snip', 'micro', 'collapse', 'auto', 'partial'].map((stage) => `thresholds.${stage}Threshold`);

const AGENT: Names = {
  threshold: { to: GATES, of: 100, target: 0.75 },
  max_tokens: 'trigger.maxTokens',
  trim_threshold: { to: 'trim.threshold', of: 100 },
  trim_max_tokens: 'trim.maxTokens',
  keep_last_messages: 'thresholds.retainCount',
  chunks: 'fill.chunks',
  tool_result_max_length: 'fill.toolResultChars',
  'prune.mode': 'prune',
  'prune.protect_percent': { to: 'stages.snip.arguments.protectShare', of: 100 },
  'prune.arg_threshold': 'stages.snip.arguments.minTokens',
};

/** The names in an agent file, the same for every profile, because the host defines them. */
export const AGENT_FILE_NAMES: Names = {
  ...Object.fromEntries(Object.entries(AGENT).map(([from, name]) => [`compaction.${from}`, name])),
  // An empty text names no agent.
  'features.compaction.*': { to: 'compaction.*', values: [['', null]] },
  context: 'window',
};

const SUMMARIZE = { 'compaction.summarizeFirst': true };
const SUMMARIZE_KEYS = 'model, prompt, window_messages, preserve_recent, max_summary_tokens';

/** Settings by the names and units of the documents that the profiles are named after. */
export const DOCUMENT_NAMES: Readonly<Record<string, Names>> = {
  agent: { ...AGENT, ...AGENT_FILE_NAMES },
  operator: {
    'compaction.upper_threshold': { to: GATES, of: 1 },
    'compaction.lower_threshold': { to: 'target', of: 1 },
    'compaction.summarize.model': {
      to: 'summarizerModel.model',
      sets: { ...SUMMARIZE, summarizer: 'model' },
    },
    'compaction.summarize.prompt': {
      to: ['auto', 'partial', 'full'].map((stage) => `fill.promptFiles.${stage}`),
      sets: SUMMARIZE,
    },
    'compaction.summarize.window_messages': { to: 'stages.auto.windowMessages', sets: SUMMARIZE },
    'compaction.summarize.preserve_recent': { to: 'stages.auto.preserveRecent', sets: SUMMARIZE },
    'compaction.summarize.max_summary_tokens': { to: 'stages.auto.maxSummaryTokens', sets: SUMMARIZE },
    'compaction.summarize.*': { allowed: SUMMARIZE_KEYS },
    'compaction.summarize': {
      to: 'compaction.summarizeFirst',
      values: [
        [true, true],
        [{}, true],
        [false, false],
        [null, false],
      ],
      allowed: `a mapping with ${SUMMARIZE_KEYS}; or false`,
    },
    'compaction.prune': 'prune',
    'prune.protectTokens': 'stages.snip.protectTokens',
    'prune.protectedTools': 'stages.snip.protectedTools',
    'prune.minimumSavings': 'stages.snip.minimumSavings',
    'models.*.maxInputTokens': 'models.*.contextWindow',
  },
  pivot: {
    'compaction.prune': {
      to: 'prune',
      values: [
        [true, 'iteration'],
        [false, 'off'],
      ],
      allowed: 'true | false',
    },
    'compaction.model': { to: 'summarizerModel.model', sets: { summarizer: 'model' } },
    'compaction.PROTECT': 'stages.snip.protectTokens',
    'compaction.MIN_PRUNE': 'stages.snip.minimumSavings',
    PROTECT: 'stages.snip.protectTokens',
    MIN_PRUNE: 'stages.snip.minimumSavings',
    globalOutputCap: 'outputCap',
    'models.*.contextLimit': 'models.*.contextWindow',
  },
  reducer: {
    injection_reserve: 'reserve.injection',
    'retention.tools': 'stages.snip.retention.tools',
    'stages.snip.retention.tools.*.never_evict': 'stages.snip.retention.tools.*.neverEvict',
    'retention.default': 'stages.snip.retention.default',
    sliding_window: 'stages.snip.dialogue',
    'caps.tool_results': 'caps.toolResults',
    budget: { to: 'window', sets: { 'reserve.output': 0 } },
  },
};

interface Translation {
  /** The same in our settings. */
  readonly settings: readonly { readonly path: Path; readonly value: unknown }[];
  /** If the value is not accepted: the accepted values. */
  readonly allowed?: string;
}

/** Our settings for a document's value at a path. Undefined if the document has no name there. */
export function translate(names: Names, path: Path, value: unknown): Translation | undefined {
  for (const [from, name] of Object.entries(names)) {
    const keys = keysOfStars(from, path);
    if (!keys) continue;
    const { to = [], of, target, values, allowed, sets } = typeof name === 'string' ? { to: name } : name;
    const known = values?.find(([one]) => JSON.stringify(one) === JSON.stringify(value));
    // The fields of a mapping have names of their own.
    if (allowed !== undefined && values && !known && isMapping(value)) continue;
    if (of !== undefined && !(typeof value === 'number' && value >= 0 && value <= of))
      return { settings: [], allowed: `${of === 100 ? 'a percentage' : 'a number'} from 0 to ${of}` };
    if (!known && of === undefined && allowed !== undefined) return { settings: [], allowed };
    const ours = of !== undefined ? rounded((value as number) / of) : known ? known[1] : value;
    const isLow = target !== undefined && (ours as number) < target;
    const follow = { ...sets, ...(isLow && { target: rounded(target * (ours as number)) }) };
    const all = [...[to].flat().map((one) => [one, ours] as const), ...Object.entries(follow)];
    return { settings: all.map(([one, its]) => ({ path: placed(one, keys), value: its })) };
  }
  return undefined;
}

const rounded = (value: number): number => Number(value.toFixed(6));

/** Our path, with keys in place of its stars. */
function placed(to: string, stars: Path): Path {
  const keys = [...stars];
  return to.split('.').map((key) => (key === '*' ? keys.shift()! : key));
}
