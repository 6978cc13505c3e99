import { lostable, measure, newOutcome, type Outcome, type SentTokens } from './measure.js';
import type { Policy } from './policies/policy.js';
import type { Probe, ProbedSession } from './probes.js';

interface Due {
  readonly session: ProbedSession;
  readonly probes: readonly Probe[];
}

/** How often the window of a policy that sends too much is narrowed; each try replays the corpus. */
const TRIES = 4;

/** All policies over the same probes at one window; Spillway first, because its requests limit those of the others. */
export async function compare(
  policies: readonly Policy[],
  sessions: readonly ProbedSession[],
  window: number,
  strengths: ReadonlySet<string>,
): Promise<Outcome[]> {
  const due = sessions
    .map((session) => ({ session, probes: lostable(session, window, strengths) }))
    .filter(({ probes }) => probes.length > 0);
  const outcomes: Outcome[] = [];
  let sent: ReadonlyMap<string, SentTokens> = new Map();
  for (const policy of policies) {
    const ours = outcomes.find((outcome) => outcome.policy === 'spillway');
    const budgetOf = (id: string, index: number): number =>
      policy.allowance === 'sent' ? Math.min(window, sent.get(id)?.get(index) ?? window) : window;
    if (policy.allowance === 'narrowed' && ours) {
      outcomes.push(await narrow(policy, due, window, ours.sentTokens / ours.judgedCalls));
      continue;
    }
    const done = await runOver(policy, due, window, budgetOf);
    outcomes.push(done.outcome);
    if (policy.name === 'spillway') sent = done.sent;
  }
  return outcomes;
}

/** Prints progress on standard error, because a run over many peers takes hours. */
function progress(line: string): void {
  process.stderr.write(`${line}\n`);
}

async function narrow(
  policy: Policy,
  due: readonly Due[],
  window: number,
  mostTokens: number,
): Promise<Outcome> {
  let share = 1;
  for (let i = 1; ; i++) {
    const { outcome } = await runOver(policy, due, window, () => Math.floor(window * share));
    outcome.narrowedTo = share;
    const mean = outcome.sentTokens / outcome.judgedCalls;
    progress(
      `${policy.name} at ${window}: try ${i}, a mean of ${Math.round(mean)} tokens, at most ${Math.round(mostTokens)}`,
    );
    if (mean <= mostTokens || i === TRIES) return outcome;
    share *= mostTokens / mean;
  }
}

async function runOver(
  policy: Policy,
  due: readonly Due[],
  window: number,
  budgetOf: (id: string, index: number) => number,
): Promise<{ outcome: Outcome; sent: Map<string, SentTokens> }> {
  const outcome = newOutcome(policy.name);
  const sent = new Map<string, SentTokens>();
  for (const { session, probes } of due) {
    const budgetAt = (index: number): number => budgetOf(session.id, index);
    sent.set(session.id, await measure(policy, session, probes, window, budgetAt, outcome));
  }
  return { outcome, sent };
}
