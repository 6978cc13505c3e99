import { groupBy } from '../support/group.js';
import { referenceCount } from '../support/reference-count.js';
import { judge } from './judge.js';
import type { Policy } from './policies/policy.js';
import type { Probe, ProbedSession } from './probes.js';
import type { Judged } from './scores.js';

/** The result of one policy over all sessions at one window. */
export interface Outcome {
  readonly policy: string;
  readonly judged: Judged[];
  /** Requests, and requests over the window by the reference count. */
  calls: number;
  over: number;
  /** Tokens sent at the judged calls. */
  sentTokens: number;
  judgedCalls: number;
  ms: number;
  /** The share of the window that the policy was given, to send no more than Spillway; 1 if it was not narrowed. */
  narrowedTo: number;
}

export const newOutcome = (policy: string): Outcome => ({
  policy,
  judged: [],
  calls: 0,
  over: 0,
  sentTokens: 0,
  judgedCalls: 0,
  ms: 0,
  narrowedTo: 1,
});

/** Probes that can be lost at this window, because the messages before their re-use do not fit. */
export function lostable(session: ProbedSession, window: number, strengths: ReadonlySet<string>): Probe[] {
  return session.probes.filter(
    ({ strength, reusedAt }) => strengths.has(strength) && session.tokensBefore[reusedAt]! > window,
  );
}

/** Tokens sent at each judged call: the limit of policies that may send no more. */
export type SentTokens = Map<number, number>;

export async function measure(
  policy: Policy,
  session: ProbedSession,
  probes: readonly Probe[],
  window: number,
  budgetAt: (index: number) => number,
  outcome: Outcome,
): Promise<SentTokens> {
  const due = groupBy(probes, ({ reusedAt }) => reusedAt);
  const judged = new Set(due.keys());
  const sent: SentTokens = new Map();
  const started = performance.now();
  for await (const { index, messages } of policy.replay({ session, window, judged, budgetAt })) {
    const tokens = referenceCount(messages);
    outcome.calls++;
    if (tokens > window) outcome.over++;
    if (!judged.has(index)) continue;
    sent.set(index, tokens);
    outcome.sentTokens += tokens;
    outcome.judgedCalls++;
    for (const probe of due.get(index)!) {
      outcome.judged.push({ session: session.id, probe, ...judge(probe, messages) });
    }
  }
  // Nothing was sent for a call that could not be prepared.
  for (const [index, missed] of due) {
    if (sent.has(index)) continue;
    for (const probe of missed)
      outcome.judged.push({ session: session.id, probe, present: false, anchored: false });
  }
  outcome.ms += performance.now() - started;
  return sent;
}
