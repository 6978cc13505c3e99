import type { z } from 'zod/v4';
import type { CompactionRecord } from '../../transcript/index.js';
import type * as schemas from './shapes.js';

type Effect = z.infer<typeof schemas.Effect>;

/** Most values of a list, the newest ones; a distribution needs no more. */
const MAX_LISTED = 500;

/** Adds up compactions of any number of sessions. Undone compactions count as runs but save nothing. */
export function effectOf(records: readonly CompactionRecord[]): Effect {
  const ordered = records.toSorted((a, b) => a.committedAt - b.committedAt);
  const standing = ordered.filter(({ status }) => status === 'committed');
  return {
    compactions: { committed: standing.length, undone: ordered.length - standing.length },
    triggers: counted(ordered.map(({ plan }) => plan.trigger.kind)),
    tokensBefore: sum(standing, ({ plan }) => plan.before.tokens),
    tokensAfter: sum(standing, ({ plan }) => plan.after.tokens),
    stages: stagesOf(ordered),
    summaryTokens: ordered.flatMap(summariesOf).slice(-MAX_LISTED),
    modelCosts: ordered
      .filter(({ calls = [] }) => calls.length > 0)
      .map(({ calls = [] }) => sum(calls, ({ cost }) => cost ?? 0))
      .slice(-MAX_LISTED),
    fallbacks: sum(ordered, ({ fallbacks = [] }) => fallbacks.length),
    hooks: hooksOf(ordered),
  };
}

const sum = <Item>(items: readonly Item[], of: (item: Item) => number): number =>
  items.reduce((all, item) => all + of(item), 0);

function counted(names: readonly string[]): Effect['triggers'] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return Object.fromEntries(counts);
}

function summariesOf({ plan }: CompactionRecord): number[] {
  return plan.edits.flatMap((edit) =>
    edit.kind === 'supersede'
      ? edit.sizes.flatMap(({ tokens }, place) =>
          edit.replacement[place]?.label === 'summary' ? [tokens] : [],
        )
      : [],
  );
}

function stagesOf(records: readonly CompactionRecord[]): Effect['stages'] {
  const stages = new Map<string, Effect['stages'][string]>();
  for (const { plan, stageMs } of records)
    for (const { stage, outcome, edits, before, after } of plan.stages) {
      const { ran = 0, applied = 0, edits: some = 0, tokens = 0, ms = 0 } = stages.get(stage) ?? {};
      stages.set(stage, {
        ran: ran + 1,
        applied: applied + (outcome === 'applied' ? 1 : 0),
        edits: some + edits,
        tokens: tokens + before.tokens - after.tokens,
        ms: ms + (stageMs[stage] ?? 0),
      });
    }
  return Object.fromEntries(stages);
}

function hooksOf(records: readonly CompactionRecord[]): Effect['hooks'] {
  const found = new Map<string, Effect['hooks'][string]>();
  for (const { hooks = [] } of records)
    for (const { plugin, hook, outcome, durationMs } of hooks) {
      const name = `${plugin} ${hook}`;
      const { ran = 0, failed = 0, ms = 0, longestMs = 0 } = found.get(name) ?? {};
      found.set(name, {
        ran: ran + 1,
        failed: failed + (outcome === 'done' ? 0 : 1),
        ms: ms + durationMs,
        longestMs: Math.max(longestMs, durationMs),
      });
    }
  return Object.fromEntries(found);
}
