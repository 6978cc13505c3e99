import type { ListedSession, Session } from '../../session/index.js';
import type { AboutSession } from '../service.js';

/** A session at a glance; `session` where its figures are wanted too, which reads all of it. */
export async function summaryOf(
  { sessionId, agentPath, messages, createdAt, updatedAt }: ListedSession,
  about: AboutSession | undefined,
  session: Session | undefined,
): Promise<object> {
  const { format, model = null, linked } = about ?? {};
  const known = {
    id: sessionId,
    agentPath,
    messages,
    createdAt,
    updatedAt,
    ...(format !== undefined && { format, model }),
    ...(linked && { linked }),
  };
  return session ? { ...known, format: session.format, ...(await figuresOf(session)) } : known;
}

async function figuresOf(session: Session): Promise<object> {
  await session.load();
  const { history, netCosts, pending, ledger } = session.operator;
  const flags = { good: 0, bad: 0, neutral: 0 };
  for (const { flag } of history) if (flag) flags[flag] += 1;
  const priced = netCosts.filter(({ netCost }) => netCost !== null);
  return {
    reading: session.reading,
    compactions: history.length,
    holds: ledger.holds.length,
    flags,
    savedTokens: netCosts.reduce((sum, { savedPerCall }) => sum + savedPerCall, 0),
    net: netCosts.reduce((sum, { net }) => sum + net, 0),
    netCost: priced.length === 0 ? null : priced.reduce((sum, { netCost }) => sum + (netCost ?? 0), 0),
    fallbacks: history.reduce((sum, { fallbacks = [] }) => sum + fallbacks.length, 0),
    costs: session.operator.costs,
    breakers: session.operator.breakers,
    ...(pending && { pending: pending.plan.hash }),
  };
}
