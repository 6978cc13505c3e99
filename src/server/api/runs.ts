import { merge, type Overrides } from '../engine.js';
import type { Session } from '../../session/index.js';
import type { Service } from '../service.js';
import { checkOpen } from './closed.js';
import type { RunOverrides } from './requests.js';

/** The settings that a run has over those in force; undefined where it has none. */
export function overridesOf(asked: RunOverrides): Overrides | undefined {
  const { strategy, summarize, upper_threshold: upper, retain_count: retainCount, prompt, settings } = asked;
  checkOpen([], settings);
  checkOpen(['compaction', 'prompt'], prompt);
  const layers: readonly object[] = [
    strategy === undefined || strategy === 'checkpoint' ? {} : { compaction: { strategy } },
    upper === undefined ? {} : { thresholds: gatesFrom(upper) },
    retainCount === undefined ? {} : { thresholds: { retainCount } },
    summarize === false ? { summarizer: 'extractive', compaction: { prompt: null, agent: null } } : {},
    summarize === true ? { summarizer: 'model' } : {},
    prompt === undefined ? {} : { compaction: { prompt } },
    settings ?? {},
  ];
  const merged = layers.reduce((sum, layer) => merge(sum as never, layer as never), {});
  return Object.keys(merged).length > 0 ? (merged as Overrides) : undefined;
}

/** The six gates, none below this one. */
function gatesFrom(upper: number): object {
  const usual = { snip: 0.8, micro: 0.84, collapse: 0.88, auto: 0.92, partial: 0.95, full: 0.98 };
  const gates = Object.entries(usual).map(([stage, gate]) => [
    `${stage}Threshold`,
    stage === 'snip' ? upper : Math.max(upper, gate),
  ]);
  return Object.fromEntries(gates) as object;
}

/** The session as these settings would have it, to plan in; what it plans can be committed in the session itself. */
export async function planningSession(
  service: Service,
  session: Session,
  asked: RunOverrides,
): Promise<{ readonly session: Session; readonly close: () => Promise<void> }> {
  const overrides = overridesOf(asked);
  if (!overrides) return { session, close: () => Promise.resolve() };
  const { spillway } = await service.engineWith(overrides);
  const { id, agentPath, format } = session;
  const { model } = await service.howToOpen({ sessionId: id, agentPath });
  const other = await spillway.open({ id, agentPath, format, ...(model !== undefined && { model }) });
  return { session: other, close: () => spillway.close() };
}

/** What a compaction would do under these overrides; its plan is kept, to be looked at, changed and committed. */
export async function planned(
  service: Service,
  session: Session,
  asked: RunOverrides,
  signal?: AbortSignal,
): Promise<Awaited<ReturnType<Session['operator']['plan']>>> {
  const { session: place, close } = await planningSession(service, session, asked);
  try {
    const { lower_threshold: target } = asked;
    return await place.operator.plan({
      ...(target !== undefined && { target }),
      ...(signal && { signal }),
    });
  } finally {
    await close();
  }
}
