import type { Settings } from './schema.js';
import { chooseSummarizer } from './summarizer.js';
import { thresholdOf, type Strategy } from './pipeline-fields.js';

/** Built-in stages by their effect: a stage that an operator wrote is never removed from the roster. */
const PRUNES: readonly string[] = ['snip', 'micro', 'collapse'];
const SUMMARIZES: readonly string[] = ['auto', 'partial', 'full'];

type Entry = Settings['roster'][number];
type StrategySettings = Parameters<typeof chooseSummarizer>[0] & Pick<Settings, 'roster' | 'thresholds'>;

/** The effect of the strategies: which stages may open, and what follows if these do not free enough. */
export interface StrategyPlan {
  /** The names of a run's actions, for operators: as configured; if no action is, those of the roster. */
  readonly strategies: readonly Strategy[];
  readonly roster: readonly Entry[];
  /** Pressure of the first gate; with `drop` alone, no remaining stage has one. */
  readonly opensAt: number;
  /** Whether a compactor makes the compaction; stages of the other strategies follow. */
  readonly delegates: boolean;
  /** Whether messages above the target are dropped after all stages, oldest first; otherwise those that do not fit. */
  readonly dropsToTarget: boolean;
  /** Whether messages are dropped if their summary fails. */
  readonly dropsOnFailure: boolean;
  /** Whether edits that replace a span with a text are left out, and no text is requested; prunes and drops remain. */
  readonly skipsSpans: boolean;
  /** Whether a run that pressure starts waits for an operator. */
  readonly waits: boolean;
}

export function strategyPlan(settings: StrategySettings): StrategyPlan {
  const { strategy, summarizeFirst, approval } = settings.compaction;
  // Spillway's own extraction writes summaries too.
  const canSummarize = chooseSummarizer(settings).from !== 'none';
  const named = strategy === null ? [] : [strategy].flat();
  const acting = named.filter((name) => name !== 'checkpoint');
  const prunes = acting.includes('prune');
  const drops = acting.includes('drop');
  const asksSummary = acting.includes('summarize');
  const triesFirst = drops && !asksSummary && summarizeFirst && canSummarize;
  const roster =
    acting.length === 0
      ? canSummarize
        ? settings.roster
        : pruningOf(settings)
      : rosterOf(settings, prunes, asksSummary ? 'asked' : triesFirst ? 'tried' : 'none');
  return {
    strategies: named.length > 0 && acting.length > 0 ? named : [...strategiesOf(roster), ...named],
    roster,
    opensAt: gateOf(settings.roster[0], settings) ?? 1,
    delegates: acting.includes('delegate'),
    dropsToTarget: drops,
    dropsOnFailure: triesFirst,
    skipsSpans: !canSummarize || (acting.length > 0 && !asksSummary && !triesFirst),
    waits: approval === 'ask' || named.includes('checkpoint'),
  };
}

/** The roster without summaries: if no stage could act then, it becomes the pruning stages. */
function pruningOf(settings: StrategySettings): readonly Entry[] {
  const { roster } = settings;
  const isBuiltInSummary = (entry: Entry): boolean => SUMMARIZES.includes(nameOf(entry));
  return roster.every(isBuiltInSummary) ? rosterOf(settings, true, 'none') : roster;
}

function rosterOf(
  settings: StrategySettings,
  prunes: boolean,
  summaries: 'asked' | 'tried' | 'none',
): Entry[] {
  const { roster } = settings;
  const kept = roster.filter((entry) => {
    const name = nameOf(entry);
    if (PRUNES.includes(name)) return prunes;
    return SUMMARIZES.includes(name) ? summaries !== 'none' : true;
  });
  const has = (kind: readonly string[]): boolean => kept.some((entry) => kind.includes(nameOf(entry)));
  const [first, last] = [gateOf(roster[0], settings) ?? 1, gateOf(roster.at(-1), settings) ?? 1];
  if (prunes && !has(PRUNES))
    kept.unshift({ stage: 'snip', opensAt: first }, { stage: 'micro', opensAt: first });
  if (summaries === 'asked' && !has(SUMMARIZES)) kept.push({ stage: 'auto', opensAt: last });
  return kept;
}

function strategiesOf(roster: readonly Entry[]): Strategy[] {
  const names = roster.map(nameOf);
  const kinds: Strategy[] = [];
  if (names.some((name) => PRUNES.includes(name))) kinds.push('prune');
  if (names.some((name) => SUMMARIZES.includes(name))) kinds.push('summarize');
  return kinds;
}

const nameOf = (entry: Entry): string => (typeof entry === 'string' ? entry : entry.stage);

function gateOf(entry: Entry | undefined, { thresholds }: StrategySettings): number | undefined {
  return typeof entry === 'string' ? thresholdOf(thresholds, entry) : entry?.opensAt;
}
