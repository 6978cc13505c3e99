import type { Settings } from './schema.js';
import { chooseSummarizer } from './summarizer.js';
import { thresholdOf, type Strategy } from './pipeline-fields.js';

/** Built-in stages by what they do: nothing is taken out of the roster that somebody wrote himself. */
const PRUNES: readonly string[] = ['snip', 'micro', 'collapse'];
const SUMMARIZES: readonly string[] = ['auto', 'partial', 'full'];

type Entry = Settings['roster'][number];
type StrategySettings = Parameters<typeof chooseSummarizer>[0] & Pick<Settings, 'roster' | 'thresholds'>;

/** What the named strategies come to: which stages may open, and what follows where they are not enough. */
export interface StrategyPlan {
  /** Names of what a run may do, for operators: as configured; where nothing is, what the roster holds. */
  readonly strategies: readonly Strategy[];
  readonly roster: readonly Entry[];
  /** Pressure of the first gate; a strategy of drop alone has no stage that would have one. */
  readonly opensAt: number;
  /** A compactor makes the compaction; stages of the other names come behind it. */
  readonly delegates: boolean;
  /** What is above the target after all stages is dropped, oldest first; else only what does not fit. */
  readonly dropsToTarget: boolean;
  /** A summary is only tried: where it cannot be had, its messages are dropped. */
  readonly dropsOnFailure: boolean;
  /** Nobody summarises: edits that stand for a span with a text are left out, prunes and drops stay; no text is bought. */
  readonly leaveSpans: boolean;
  /** What pressure starts waits for an operator. */
  readonly waits: boolean;
}

export function strategyPlan(settings: StrategySettings): StrategyPlan {
  const { strategy, summarizeFirst, approval } = settings.compaction;
  // Our own extraction writes summaries too.
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
    strategies: named.length > 0 && acting.length > 0 ? named : [...heldBy(roster), ...named],
    roster,
    opensAt: gateOf(settings.roster[0], settings) ?? 1,
    delegates: acting.includes('delegate'),
    dropsToTarget: drops,
    dropsOnFailure: triesFirst,
    leaveSpans: !canSummarize || (acting.length > 0 && !asksSummary && !triesFirst),
    waits: approval === 'ask' || named.includes('checkpoint'),
  };
}

/** Nobody summarises: where the roster then holds nothing that could act, pruning stands in its place. */
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

function heldBy(roster: readonly Entry[]): Strategy[] {
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
