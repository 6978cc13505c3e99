import { z } from 'zod/v4';
import { SpillwayError } from '../../errors/index.js';
import type { Session } from '../../session/index.js';
import type { Json, SessionStore } from '../../spi/index.js';
import type {
  CompactionRecord as RecordValue,
  Plan as PlanValue,
  ViewMessage,
} from '../../transcript/index.js';
import { CompactionRecord, Plan, PlanChanges, Reading, ShownMessage } from './shapes.js';
import { verb } from './verb.js';

/* Plans: listed, changed, committed, and approved or rejected while they wait. */

const CommitAnswer = z.object({ record: CompactionRecord.optional() });
const hash = z.string().min(1);

export const approve = verb(
  'Says yes to the plan that waits.',
  { hash: hash.optional() },
  CommitAnswer,
  async (session, asked) => ({
    record: await commitOnce(session, asked.hash, () => session.operator.approve(asked.hash)),
  }),
);

export const reject = verb(
  'Says no to the plan that waits.',
  { hash: hash.optional(), notes: z.string().max(20_000).optional().describe('Why.') },
  CommitAnswer,
  async ({ operator }, asked) => {
    await operator.reject(asked.hash, asked.notes);
    return {};
  },
);

/** Verbs for earlier plans, which are kept in this store. */
export const planVerbs = (store: SessionStore) => ({
  plans: verb(
    'Plans that were made and not committed, newest first. One of them may wait for approval.',
    {},
    z.object({ items: z.array(z.object({ at: z.number(), waits: z.boolean(), plan: Plan })) }),
    async (session) => {
      const { pending, history: records } = session.operator;
      const listed = new Set([...(pending ? [pending] : []), ...records].map(({ plan }) => plan.hash));
      const others = (await keptPlans(store, session)).filter(({ plan }) => !listed.has(plan.hash));
      const waiting = pending ? [{ ...pending, waits: true }] : [];
      return { items: [...waiting, ...others.map(({ at, plan }) => ({ at, plan, waits: false }))] };
    },
  ),
  plan: verb(
    'A plan, and the request that it would give.',
    { hash },
    z.object({
      plan: Plan,
      preview: z.object({ reading: Reading, messages: z.array(ShownMessage), request: z.array(z.unknown()) }),
    }),
    async (session, asked) => {
      const plan = await planOf(store, session, asked.hash);
      const { messages, reading, view } = await session.operator.preview(plan);
      return { plan, preview: { reading, messages: view.map(shownMessage), request: messages } };
    },
  ),
  edit: verb(
    'Makes a changed plan: with other words, or without some edits. It is judged and measured again. A waiting plan is replaced.',
    { hash, ...PlanChanges.shape },
    Plan,
    async (session, { hash: of, ...changes }) => {
      const changed = await session.operator.edit(await planOf(store, session, of), changes);
      await keepPlan(store, session, changed, Date.now());
      return changed;
    },
  ),
  commit: verb(
    'Commits exactly this plan. A repeated request returns the compaction that was made.',
    { hash },
    CommitAnswer,
    async (session, asked) => {
      const commit = async () => session.operator.commit(await planOf(store, session, asked.hash));
      return { record: await commitOnce(session, asked.hash, commit) };
    },
  ),
  propose: verb(
    'Makes the plan wait. Calls that need it pause until it is approved or rejected.',
    { hash },
    CommitAnswer,
    async (session, asked) => {
      if (session.operator.pending?.plan.hash !== asked.hash)
        await session.operator.propose(await planOf(store, session, asked.hash));
      return {};
    },
  ),
});

/** Makes a commit idempotent: after a repeated or concurrent request, returns the record that is already committed. */
const commitOnce = ({ operator }: Session, of: string | undefined, commit: () => Promise<RecordValue>) =>
  commit().catch((error: unknown) => {
    const done = operator.history.find(({ plan, status }) => plan.hash === of && status === 'committed');
    if (done) return done;
    throw error;
  });

/** A message of a request for operators: original, replaced, or a summary, and by which stage and why. */
export function shownMessage({ message, source, replaced, made, size, from, to }: ViewMessage): object {
  const [mark] = replaced?.values() ?? [];
  const by = mark ? { stage: mark.stage, reason: mark.reason } : made;
  return {
    id: message.id,
    role: message.role,
    ...(message.trust !== undefined && { trust: message.trust }),
    parts: message.parts,
    tokens: size.tokens,
    from,
    to,
    status: source ? (mark ? 'replaced' : 'original') : 'summary',
    ...(by && { by }),
  };
}

/** Most plans of one agent that are kept to be shown and committed. The oldest plan is dropped first. */
const MAX_PLANS = 20;

interface KeptPlan {
  readonly at: number;
  readonly plan: PlanValue;
}

const KEPT_PLAN = z.object({ at: z.number(), plan: Plan });
/** A plan that is damaged in the store is treated as dropped. */
const isKept = (value: unknown): value is KeptPlan => KEPT_PLAN.safeParse(value).success;

type Place = Pick<Session, 'id' | 'agentPath'>;

const scopeOf = ({ id, agentPath }: Place): string => `service.plans ${JSON.stringify([id, agentPath])}`;

/** Keeps a plan in the store, so that any process with that store can show and commit it. */
export async function keepPlan(
  store: SessionStore,
  place: Place,
  plan: PlanValue,
  at: number,
): Promise<void> {
  const scope = scopeOf(place);
  await store.setValue(scope, plan.hash, { at, plan } as unknown as Json);
  const kept = await keptPlans(store, place);
  for (const { plan: old } of kept.slice(MAX_PLANS)) await store.setValue(scope, old.hash, undefined);
}

/** Kept plans, the newest first. */
async function keptPlans(store: SessionStore, place: Place): Promise<readonly KeptPlan[]> {
  const kept: readonly unknown[] = Object.values(await store.values(scopeOf(place)));
  return kept.filter(isKept).toSorted((a, b) => b.at - a.at);
}

/** An earlier plan, or the pending plan. Rejects with `PLAN_UNKNOWN`. */
async function planOf(store: SessionStore, session: Session, hash: string): Promise<PlanValue> {
  const { pending } = session.operator;
  if (pending?.plan.hash === hash) return pending.plan;
  const kept = await store.value(scopeOf(session), hash);
  if (isKept(kept)) return kept.plan;
  throw new SpillwayError('PLAN_UNKNOWN', {
    subject: 'plan',
    found: hash,
    remedy: 'Uncommitted plans are kept for a limited time. Make a new one with POST plans.',
  });
}
