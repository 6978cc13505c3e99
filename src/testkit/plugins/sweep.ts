import { createSpillway, SpillwayError, type Session } from '../../index.js';
import type { LoadedPlugin } from '../../plugins/index.js';
import type { Summarizer } from '../../spi/index.js';
import type { HookRun } from '../../transcript/index.js';
import { frozen } from '../frozen.js';
import { historyOf } from '../histories/index.js';
import { demandLegal } from '../legal.js';
import { recorded, type HookCall, type Recording } from './recorder.js';
import { hookMsOf, loadedFor, loadMsOf, type PluginSubject } from './subject.js';

/** What a plugin did in all sessions together. */
export interface Sweep {
  /** One that was loaded; absent where it could not be. */
  readonly plugin?: LoadedPlugin;
  /** Why it could not be loaded, opened or put to a session. */
  readonly fault?: string;
  readonly calls: readonly Told<HookCall>[];
  readonly lines: readonly Told<HookRun>[];
  readonly values: Recording['values'];
  readonly closings: Recording['closings'];
  /** What became of sessions that should not. */
  readonly broken: readonly string[];
}

/** With the session that it was seen in. */
export type Told<T> = T & { readonly where: string };

/** Sessions for each set of knobs; some hundred milliseconds each. */
const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8] as const;
/** Compactions on end in each. */
const TIMES = 4;

const sweeps = new WeakMap<PluginSubject, Promise<Sweep>>();

/** By the subject: every rule reads the same sessions. */
export function sweepOf(subject: PluginSubject): Promise<Sweep> {
  const known = sweeps.get(subject) ?? swept(subject);
  sweeps.set(subject, known);
  return known;
}

interface Seen {
  plugin?: LoadedPlugin;
  fault?: string;
  readonly calls: Told<HookCall>[];
  readonly lines: Told<HookRun>[];
  readonly values: Recording['values'];
  readonly closings: Recording['closings'];
  readonly broken: string[];
}

async function swept(subject: PluginSubject): Promise<Sweep> {
  const seen: Seen = { calls: [], lines: [], values: [], closings: [], broken: [] };
  try {
    seen.plugin = await loadedFor(subject);
    for (const knobs of subject.knobs ?? [{}])
      for (const seed of SEEDS) {
        await play(subject, knobs, seed, seen);
        // Each more of them would take as long again.
        if (seen.lines.some(({ outcome }) => outcome === 'late')) return seen;
      }
  } catch (error) {
    seen.fault = error instanceof Error ? error.message : String(error);
  }
  return seen;
}

/** A whole session, compacted again and again as it grows; every other one with a model to ask. */
async function play(subject: PluginSubject, knobs: unknown, seed: number, seen: Seen): Promise<void> {
  const recording: Recording = { calls: [], values: seen.values, closings: seen.closings };
  const plugin = recorded(await loadedFor(subject), recording);
  const hookMs = hookMsOf(subject);
  const spillway = await createSpillway({
    inputBudget: 1_500,
    plugins: [plugin],
    ...(seed % 2 === 0 && { summarizer: TERSE }),
    settings: {
      counter: 'heuristic',
      ...(plugin.knobs && { knobs: { [plugin.name]: knobs } }),
      ...(plugin.compactor && { compaction: { strategy: 'delegate' } }),
      pluginLimits: {
        loadMs: loadMsOf(subject),
        preCompactMs: hookMs,
        postCompactMs: hookMs,
        compactMs: hookMs,
      },
    },
  });
  const at = `history ${seed}`;
  let told = 0;
  const where = (): string => `${at}, after ${told} messages`;
  spillway.events.subscribe((event) => {
    if (event.kind !== 'plugin-hook') return;
    const { plugin: by, hook, outcome, durationMs, message } = event;
    const line = { plugin: by, hook: hook as HookRun['hook'], outcome, durationMs };
    seen.lines.push({ ...line, ...(message !== undefined && { message }), where: where() });
  });
  const session = spillway.session({ id: `conform-${seed}` });
  const messages = frozen(historyOf({ seed: 40_000 + seed, length: 40 }));
  const chunk = Math.ceil(messages.length / TIMES);
  try {
    for (let from = 0; from < messages.length; from += chunk) {
      const next = messages.slice(from, from + chunk);
      await session.append(...next);
      told += next.length;
      await compacted(session, where(), seen);
      for (const call of recording.calls.splice(0)) seen.calls.push(Object.assign(call, { where: where() }));
    }
  } finally {
    await spillway.close();
  }
}

async function compacted(session: Session, where: string, { broken }: Seen): Promise<void> {
  const { length } = session.log;
  const before = written(session, length);
  const { tokens } = session.reading;
  try {
    await session.operator.plan({ target: 0.3 });
    await session.operator.compact({ target: 0.3 });
    const { view, reading } = await session.prepare();
    demandLegal(view, where);
    if (reading.tokens > Math.max(tokens, reading.budget.tokens))
      broken.push(`${where}: the request grew from ${tokens} to ${reading.tokens} tokens`);
  } catch (error) {
    if (!(error instanceof SpillwayError && error.code === 'BUDGET_UNREACHABLE'))
      broken.push(error instanceof Error ? error.message : String(error));
  }
  // What a request needs may come behind it; what stood there stays.
  if (written(session, length) !== before) broken.push(`${where}: the log was changed`);
}

const written = ({ log }: Session, length: number): string =>
  JSON.stringify(Array.from({ length }, (_, seq) => log.at(seq)));

const TERSE: Summarizer = {
  name: 'terse',
  endpoint: 'terse',
  summarize: () =>
    Promise.resolve({ text: 'They worked at the mill by the river.', finishReason: 'stop', model: 'terse' }),
};
