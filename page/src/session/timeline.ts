import type { CallRecord, CompactionSummary, Stage } from '../api/types';

/** A compaction and its place between calls. */
export interface Fired {
  readonly record: CompactionSummary;
  /** The first call that was sent after it; if there is none yet, the newest call plus one. */
  readonly call: number;
  readonly before: number;
  readonly after: number;
}

export interface Timeline {
  /** Oldest first. */
  readonly calls: readonly CallRecord[];
  readonly fired: readonly Fired[];
  readonly first: number;
  readonly last: number;
}

/** Calls and compactions on one axis: the number of the call. */
export function timelineOf(calls: readonly CallRecord[], records: readonly CompactionSummary[]): Timeline {
  const ordered = calls.toSorted((a, b) => a.call - b.call || a.at - b.at);
  const newest = ordered.at(-1)?.call ?? 0;
  const fired = records
    .map((record): Fired => {
      const { plan } = record;
      const { pressure, budget, scale } = plan.inputs;
      const after = budget > 0 ? (plan.after.tokens * scale) / budget : 0;
      const call = ordered.find(({ at }) => at >= record.committedAt)?.call ?? newest + 1;
      return { record, call, before: pressure, after: Math.min(after, pressure) };
    })
    .toSorted((a, b) => a.call - b.call);
  const last = Math.max(newest, fired.at(-1)?.call ?? 0, 2);
  return { calls: ordered, fired, first: ordered[0]?.call ?? 1, last };
}

/** The stages that fired, in the order of the roster; then the steps that the pipeline itself took. */
export function rowsOf(stages: readonly Stage[], fired: readonly Fired[]): readonly Stage[] {
  const gated = stages.filter(({ opensAt }) => opensAt !== undefined);
  const known = new Set(gated.map(({ name }) => name));
  const others = new Set(
    fired
      .flatMap(({ record }) => record.plan.stages)
      .filter(({ stage, outcome }) => !known.has(stage) && outcome === 'applied')
      .map(({ stage }) => stage),
  );
  return [
    ...gated,
    ...[...others].map((name) => ({ name, summary: 'A step of the pipeline itself, after the stages.' })),
  ];
}
