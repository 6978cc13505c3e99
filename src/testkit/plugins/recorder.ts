import type { LoadedPlugin } from '../../plugins/index.js';
import type { HookApi, Plugin, PluginApi, PostCompact, PreCompact } from '../../spi/index.js';

export type HookName = 'pre_compact' | 'compact' | 'post_compact';

/** A call of a hook, with what it was told and what it answered. */
export interface HookCall {
  readonly hook: HookName;
  readonly event: PreCompact | PostCompact;
  /** The event was another when the call had ended. */
  wasWritten: boolean;
  answer?: unknown;
  threw?: unknown;
}

/** What a plugin did in the sessions of the kit. */
export interface Recording {
  readonly calls: HookCall[];
  /** What it set among its values. */
  readonly values: { readonly key: unknown; readonly value: unknown }[];
  /** How each call of close() ended. */
  readonly closings: Closing[];
}

export interface Closing {
  ended: boolean;
  threw?: unknown;
}

/** The same plugin, with every call noted. */
export function recorded(plugin: LoadedPlugin, into: Recording): Plugin & { readonly name: string } {
  const { observer, compactor, close } = plugin;
  return {
    ...plugin,
    ...(plugin.open && { open: (api: PluginApi) => plugin.open!(noting(api, into)) }),
    ...(close && { close: () => closing(close, into) }),
    ...(observer && {
      observer: {
        ...(observer.preCompact && {
          preCompact: (event: PreCompact, api: HookApi) =>
            noted('pre_compact', event, into, () => observer.preCompact!(event, noting(api, into))),
        }),
        ...(observer.postCompact && {
          postCompact: (event: PostCompact, api: HookApi) =>
            noted('post_compact', event, into, () => observer.postCompact!(event, noting(api, into))),
        }),
      },
    }),
    ...(compactor && {
      compactor: {
        compact: (event: PreCompact, api: HookApi) =>
          noted('compact', event, into, () => compactor.compact(event, noting(api, into))),
      },
    }),
  };
}

async function closing(close: () => void | Promise<void>, { closings }: Recording): Promise<void> {
  const one: Closing = { ended: false };
  closings.push(one);
  try {
    await close();
  } catch (error) {
    one.threw = error;
  }
  one.ended = true;
}

async function noted<T>(
  hook: HookName,
  event: HookCall['event'],
  { calls }: Recording,
  run: () => T | Promise<T>,
): Promise<T> {
  const before = JSON.stringify(event);
  const call: HookCall = { hook, event, wasWritten: false };
  calls.push(call);
  try {
    const answer = await run();
    call.answer = answer;
    return answer;
  } catch (error) {
    call.threw = error;
    throw error;
  } finally {
    call.wasWritten = JSON.stringify(event) !== before;
  }
}

const noting = <Api extends PluginApi>(api: Api, { values }: Recording): Api => ({
  ...api,
  values: {
    ...api.values,
    set: (key: string, value: unknown) => {
      values.push({ key, value });
      return api.values.set(key, value);
    },
  },
});
