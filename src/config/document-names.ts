import type { Alias, Tree } from './alias.js';
import { CompactionFields } from './compaction-fields.js';
import { isMapping, type Path } from './path.js';

/** Where the `agent` document lets its settings stand: in compaction.yaml, in an agent's frontmatter, or bare. */
function agentNames(): Alias[] {
  return [['features', 'compaction'], ['compaction'], []].flatMap((at) => [
    percent([...at, 'threshold'], triggerAt),
    plain([...at, 'max_tokens'], (value) => ({ trigger: { maxTokens: value } })),
    percent([...at, 'trim_threshold'], (share) => ({ trim: { threshold: share } })),
    plain([...at, 'trim_max_tokens'], (value) => ({ trim: { maxTokens: value } })),
    plain([...at, 'keep_last_messages'], (value) => ({ thresholds: { retainCount: value } })),
    plain([...at, 'chunks'], (value) => ({ fill: { chunks: value } })),
    plain([...at, 'tool_result_max_length'], (value) => ({ fill: { toolResultChars: value } })),
    plain([...at, 'prune', 'mode'], (value) => ({ prune: value })),
    percent([...at, 'prune', 'protect_percent'], (share) => argumentsWith({ protectShare: share })),
    plain([...at, 'prune', 'arg_threshold'], (value) => argumentsWith({ minTokens: value })),
    ...(at[0] === 'features' ? ownFields(at) : []),
    ...(at.length === 0 ? [plain(['context'], (value) => ({ window: value }))] : []),
  ]);
}

/** Fields of our own `compaction` block; an empty text names nobody. */
const ownFields = (at: Path): Alias[] =>
  Object.keys(CompactionFields.shape).map((key) =>
    plain([...at, key], (value) => ({ compaction: { [key]: value === '' ? null : value } })),
  );

const argumentsWith = (options: Tree): Tree => ({ stages: { snip: { arguments: options } } });

/** The `operator` document's `compaction:` block of an agent, its PruneConfig, and its override of a model's window. */
function operatorNames(): Alias[] {
  const summarize: Path = ['compaction', 'summarize'];
  const auto = (options: Tree): Tree => ({ stages: { auto: options } });
  // Whoever writes the block wants it.
  const summarized = (key: string, as: (value: unknown) => Tree): Alias =>
    plain([...summarize, key], (value) => ({ ...as(value), compaction: { summarizeFirst: true } }));
  const prune = (key: string): Alias[] =>
    [['prune'], ['compaction', 'prune']].map((at) =>
      plain([...at, key], (value) => ({ stages: { snip: { [key]: value } } })),
    );
  return [
    share(['compaction', 'upper_threshold'], (value) => ({ thresholds: allGates(value) })),
    share(['compaction', 'lower_threshold'], (value) => ({ target: value })),
    summarized('model', (value) => ({ summarizer: 'model', summarizerModel: { model: value } })),
    summarized('prompt', (value) => ({
      fill: { promptFiles: { auto: value, partial: value, full: value } },
    })),
    summarized('window_messages', (value) => auto({ windowMessages: value })),
    summarized('preserve_recent', (value) => auto({ preserveRecent: value })),
    summarized('max_summary_tokens', (value) => auto({ maxSummaryTokens: value })),
    {
      path: summarize,
      allowed: 'a mapping with model, prompt, window_messages, preserve_recent, max_summary_tokens; or false',
      as: (value) => {
        const isOff = value === false || value === null;
        const isOn = value === true || (isMapping(value) && Object.keys(value).length === 0);
        return isOff || isOn ? { compaction: { summarizeFirst: isOn } } : undefined;
      },
    },
    ...['protectTokens', 'protectedTools', 'minimumSavings'].flatMap(prune),
    {
      path: ['models'],
      as: (value) => renamed(value, { maxInputTokens: 'contextWindow' }, (models) => ({ models })),
    },
  ];
}

/** The `pivot` document's two switches, its two thresholds, its output cap and its limits. */
function pivotNames(): Alias[] {
  const names = { contextLimit: 'contextWindow' };
  return [
    {
      path: ['compaction', 'prune'],
      allowed: 'true | false',
      as: (value) => (typeof value === 'boolean' ? { prune: value ? 'iteration' : 'off' } : undefined),
    },
    plain(['compaction', 'model'], (value) => ({ summarizer: 'model', summarizerModel: { model: value } })),
    ...[['compaction'], []].flatMap((at) => [
      plain([...at, 'PROTECT'], (value) => ({ stages: { snip: { protectTokens: value } } })),
      plain([...at, 'MIN_PRUNE'], (value) => ({ stages: { snip: { minimumSavings: value } } })),
    ]),
    plain(['globalOutputCap'], (value) => ({ outputCap: value })),
    { path: ['models'], as: (value) => renamed(value, names, (models) => ({ models })) },
  ];
}

/** The `reducer` document's retention, injection reserve, window and caps. */
function reducerNames(): Alias[] {
  const retention = (tools: Tree): Tree => ({ stages: { snip: { retention: { tools } } } });
  return [
    plain(['injection_reserve'], (value) => ({ reserve: { injection: value } })),
    { path: ['retention', 'tools'], as: (value) => renamed(value, { never_evict: 'neverEvict' }, retention) },
    plain(['retention', 'default'], (value) => ({ stages: { snip: { retention: { default: value } } } })),
    plain(['sliding_window'], (value) => ({ stages: { snip: { dialogue: value } } })),
    plain(['caps', 'tool_results'], (value) => ({ caps: { toolResults: value } })),
    plain(['budget'], (value) => ({ window: value, reserve: { output: 0 } })),
  ];
}

/** One trigger for all stages; where it is low the target stays below it. */
function triggerAt(share: number): Tree {
  return { thresholds: allGates(share), ...(share < 0.75 && { target: round(0.75 * share) }) };
}

function allGates(share: number): Tree {
  const stages = ['snip', 'micro', 'collapse', 'auto', 'partial'];
  return Object.fromEntries(stages.map((stage) => [`${stage}Threshold`, share]));
}

const plain = (path: Path, as: (value: unknown) => Tree): Alias => ({ path, as });

function share(path: Path, as: (share: number) => Tree, most = 1, what = 'a number'): Alias {
  return {
    path,
    allowed: `${what} from 0 to ${most}`,
    as: (value) =>
      typeof value === 'number' && value >= 0 && value <= most ? as(round(value / most)) : undefined,
  };
}

const percent = (path: Path, as: (share: number) => Tree): Alias => share(path, as, 100, 'a percentage');

const round = (value: number): number => Number(value.toFixed(6));

/** A table whose entries use other names for their keys; undefined where it uses none of them. */
function renamed(
  table: unknown,
  names: Readonly<Record<string, string>>,
  as: (table: Tree) => Tree,
): Tree | undefined {
  if (!isMapping(table)) return undefined;
  const entries = Object.entries(table).map(([name, entry]) => [
    name,
    isMapping(entry)
      ? Object.fromEntries(
          Object.entries(entry).map(([key, value]) => [Object.hasOwn(names, key) ? names[key]! : key, value]),
        )
      : entry,
  ]);
  return as(Object.fromEntries(entries) as Tree);
}

/** Settings under the names and in the units of the documents that the profiles are named after. */
export const DOCUMENT_NAMES: Readonly<Record<string, readonly Alias[]>> = {
  agent: agentNames(),
  operator: operatorNames(),
  pivot: pivotNames(),
  reducer: reducerNames(),
};

/** What an agent file says, whatever the profile: its host writes it so. */
export const AGENT_FILE_NAMES: readonly Alias[] = agentNames().filter(({ path: [first] }) =>
  ['features', 'context'].includes(String(first)),
);
