import { SpillwayError } from '../../errors/index.js';
import type { Session } from '../../session/index.js';
import type { Json, SessionStore } from '../../spi/index.js';
import type { Plan } from '../../transcript/index.js';

/** Plans of one agent that are kept to be looked at and committed; the oldest goes first. */
const MOST_PLANS = 20;

interface KeptPlan {
  readonly at: number;
  readonly plan: Plan;
}

type Place = Pick<Session, 'id' | 'agentPath'>;

const scopeOf = ({ id, agentPath }: Place): string => `service.plans ${JSON.stringify([id, agentPath])}`;

/** Keeps a plan in the store, so that any process on it can show and commit it. */
export async function keepPlan(store: SessionStore, place: Place, plan: Plan, at: number): Promise<void> {
  const scope = scopeOf(place);
  await store.setValue(scope, plan.hash, { at, plan } as unknown as Json);
  const kept = await keptPlans(store, place);
  for (const { plan: old } of kept.slice(MOST_PLANS)) await store.setValue(scope, old.hash, undefined);
}

/** Newest first. */
export async function keptPlans(store: SessionStore, place: Place): Promise<readonly KeptPlan[]> {
  const kept = Object.values(await store.values(scopeOf(place))) as unknown as readonly KeptPlan[];
  return kept.toSorted((a, b) => b.at - a.at);
}

/** A plan that was made before, or the one that waits. Rejects with `PLAN_UNKNOWN`. */
export async function planOf(store: SessionStore, session: Session, hash: string): Promise<Plan> {
  const { pending } = session.operator;
  if (pending?.plan.hash === hash) return pending.plan;
  const kept = (await store.value(scopeOf(session), hash)) as unknown as KeptPlan | undefined;
  if (kept) return kept.plan;
  throw new SpillwayError('PLAN_UNKNOWN', {
    subject: 'plan',
    found: hash,
    remedy: 'Plans that were not committed are kept for a while; make one anew with POST plans.',
  });
}
