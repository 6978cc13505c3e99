import type { LoadedPlugin } from '../../plugins/index.js';
import type { HookApi, PostCompact, PreCompact } from '../../spi/index.js';
import { RuleBroken, type Exercise } from '../rule.js';
import { hookMsOf, type PluginSubject } from './subject.js';
import type { Sweep } from './sweep.js';

/** Calls each hook once more, with a model that never answers, and aborts while it waits. */
export async function checkAborting(subject: PluginSubject, { plugin, calls }: Sweep): Promise<Exercise> {
  let asked = 0;
  for (const hook of ['pre_compact', 'compact', 'post_compact'] as const) {
    const first = calls.find((call) => call.hook === hook);
    const run = first && plugin && runOf(plugin, hook, first.event);
    if (!run) continue;
    const ended = await whileAsking(run, plugin, subject);
    if (ended === 'hangs') throw new RuleBroken(`${hook} went on after its signal was aborted`);
    if (ended === 'gave up') asked++;
  }
  if (asked === 0) return { notExercised: 'no hook asked the model' };
}

type Run = (api: HookApi) => unknown;

function runOf(
  { observer, compactor }: LoadedPlugin,
  hook: 'pre_compact' | 'compact' | 'post_compact',
  event: PreCompact | PostCompact,
): Run | undefined {
  if (hook === 'compact') return compactor && ((api) => compactor.compact(event as PreCompact, api));
  if (hook === 'pre_compact')
    return observer?.preCompact && ((api) => observer.preCompact!(event as PreCompact, api));
  return observer?.postCompact && ((api) => observer.postCompact!(event as PostCompact, api));
}

async function whileAsking(
  run: Run,
  { name, knobs }: LoadedPlugin,
  subject: PluginSubject,
): Promise<'settled' | 'gave up' | 'hangs'> {
  const controller = new AbortController();
  const { signal } = controller;
  let ask!: () => void;
  const asks = new Promise<'asks'>((resolve) => (ask = () => resolve('asks')));
  const values = new Map<string, unknown>();
  const quiet = (): void => undefined;
  const api: HookApi = {
    name,
    knobs: knobs?.safeParse(subject.knobs?.[0] ?? {}).data,
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    values: {
      get: async (key) => values.get(key),
      set: async (key, value) => void values.set(key, value),
      all: async () => Object.fromEntries(values),
    },
    signal,
    summarize: () => {
      ask();
      return new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true }),
      );
    },
  };
  const done = (async () => run(api))().then(
    () => 'settled' as const,
    () => 'settled' as const,
  );
  const first = await withPatience(Promise.race([done, asks]), subject);
  if (first !== 'asks') return first;
  controller.abort();
  const last = await withPatience(done, subject);
  return last === 'hangs' ? 'hangs' : 'gave up';
}

async function withPatience<T>(work: Promise<T>, subject: PluginSubject): Promise<T | 'hangs'> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<'hangs'>((resolve) => {
    timer = setTimeout(() => resolve('hangs'), hookMsOf(subject));
  });
  try {
    return await Promise.race([work, silence]);
  } finally {
    clearTimeout(timer);
  }
}
