import type { Settings } from '../../config/index.js';
import { merge, type Overrides } from '../engine.js';
import type { Session } from '../../session/index.js';
import type { Service } from '../service.js';
import { checkOpen } from './closed.js';
import type { RunOverrides } from './requests.js';

/** The settings that a run has over these, which are in force; undefined where it has none. */
export function overridesOf(asked: RunOverrides, { thresholds }: Settings): Overrides | undefined {
  const { strategy, summarize, upper_threshold: upper, retain_count: retainCount, prompt, settings } = asked;
  checkOpen([], settings);
  checkOpen(['compaction', 'prompt'], prompt);
  const layers: readonly object[] = [
    strategy === undefined || strategy === 'checkpoint' ? {} : { compaction: { strategy } },
    upper === undefined ? {} : { thresholds: gatesFrom(upper, thresholds) },
    retainCount === undefined ? {} : { thresholds: { retainCount } },
    summarize === false ? { summarizer: 'extractive', compaction: { prompt: null, agent: null } } : {},
    summarize === true ? { summarizer: 'model' } : {},
    prompt === undefined ? {} : { compaction: { prompt } },
    settings ?? {},
  ];
  const merged = layers.reduce((sum, layer) => merge(sum as never, layer as never), {});
  return Object.keys(merged).length > 0 ? (merged as Overrides) : undefined;
}

/** The gates in force, the first of them moved here, and none below it. */
function gatesFrom(upper: number, thresholds: Settings['thresholds']): object {
  const gates = Object.entries(thresholds).filter(([name]) => name.endsWith('Threshold'));
  return Object.fromEntries(
    gates.map(([name, gate]) => [name, name === 'snipThreshold' ? upper : Math.max(upper, gate)]),
  );
}

/** The session as these settings would have it, to plan in; what it plans can be committed in the session itself. */
async function planningSession(
  service: Service,
  session: Session,
  asked: RunOverrides,
): Promise<{ readonly session: Session; readonly close: () => Promise<void> }> {
  const overrides = overridesOf(asked, service.settings);
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
