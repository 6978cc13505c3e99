import type { Outcome } from './measure.js';

/** The probes that were not anchored, with the reason. */
export function missesOf(window: number, outcome: Outcome | undefined): object[] {
  return (outcome?.judged ?? [])
    .filter(({ anchored }) => !anchored)
    .map(({ session, probe, present }) => ({
      window,
      session,
      fact: probe.fact,
      kind: probe.kind,
      strength: probe.strength,
      first_seen: probe.firstSeen,
      last_seen: probe.lastSeen,
      reused_at: probe.reusedAt,
      present,
      source_tool: probe.anchors.tool,
      source_line: probe.anchors.lines[0]?.slice(0, 400) ?? '',
      anchors: [...probe.anchors.words].slice(0, 20),
    }));
}
