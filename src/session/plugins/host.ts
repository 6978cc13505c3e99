import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod/v4';
import type { Json, PluginApi, PluginLog, PluginValues, SessionStore, WireFormat } from '../../spi/index.js';
import { jsonOf, listFrom } from '../../transcript/index.js';
import { firstLineOf, inTime, LATE, lateError, pluginError } from './guarded.js';
import type { LoadedPlugin } from './load.js';

/** Level of a plugin's log line. */
export type PluginLevel = keyof PluginLog;

/** Receives the log lines of plugins. */
export type PluginListener = (plugin: string, level: PluginLevel, message: string) => void;

/** A hook that was called and has not settled. */
export interface HookInFlight {
  readonly plugin: string;
  readonly hook: string;
  readonly sessionId: string;
  readonly agentPath: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

interface HostParts {
  readonly plugins: readonly LoadedPlugin[];
  /** The store of their values; if absent, values are kept in memory. */
  readonly store?: Pick<SessionStore, 'value' | 'setValue' | 'values'> | undefined;
  /** Knobs from the engine's settings, by plugin. */
  readonly knobs: Readonly<Record<string, unknown>>;
  /** Milliseconds that each plugin may take to open, and to close. */
  readonly loadMs: number;
}

/** The plugins of one engine, each with its API. */
export class PluginHost {
  readonly plugins: readonly LoadedPlugin[];
  readonly #apis: Map<string, PluginApi>;
  #listener: PluginListener | undefined;
  #shared: Shared = { inFlight: new Set(), listener: undefined };
  /** The open plugins, in the order in which they were opened. */
  readonly #open = new Set<LoadedPlugin>();

  constructor(private readonly parts: HostParts) {
    const { plugins, store, knobs } = parts;
    this.plugins = plugins;
    const apiOf = (name: string): PluginApi => {
      const says = (level: PluginLevel) => (message: string) =>
        this.#shared.listener?.(name, level, String(message));
      const log = { debug: says('debug'), info: says('info'), warn: says('warn'), error: says('error') };
      return Object.freeze({
        name,
        log: Object.freeze(log),
        values: valuesOf(name, store, `plugin:${name}`),
        knobs: knobs[name],
      });
    };
    this.#apis = new Map(plugins.map(({ name }) => [name, apiOf(name)]));
  }

  /** Unsettled hook calls of all sessions, including those past their deadline, so that a hanging hook can be found. */
  get inFlight(): Set<HookInFlight> {
    return this.#shared.inFlight;
  }

  /** Receives the log lines of plugins outside a session. */
  set onMessage(listener: PluginListener) {
    this.#listener = listener;
    this.#shared.listener = listener;
  }

  /** The compactor of an agent: the plugin that its settings name; if they name none, the first loaded one. */
  compactorOf(named: string | null): LoadedPlugin | undefined {
    return this.plugins.find(({ name, compactor }) => compactor && (named === null || name === named));
  }

  /** Wire formats that the plugins provide. */
  get formats(): readonly WireFormat[] {
    return this.plugins.flatMap(({ formats = [] }) => formats);
  }

  /** The API that a plugin was opened with. Its hooks get the knobs, log and values of their session instead. */
  apiOf({ name }: LoadedPlugin): PluginApi {
    return this.#apis.get(name)!;
  }

  /** The values of a plugin for one session. Other sessions do not see them. */
  valuesIn(sessionId: string, { name }: LoadedPlugin): PluginValues {
    return valuesOf(name, this.parts.store, `plugin:${name}:${sessionId}`);
  }

  /**
   * Opens the plugins one after the other. Plugins that are open in the host `before` are taken over if their knobs are
   * the same; its others are closed first, because a plugin may hold an exclusive resource. Rejects with
   * `PLUGIN_FAILED` or `PLUGIN_LATE`; then no plugin is open here, and those of the host `before` are opened again.
   */
  async open(before?: PluginHost): Promise<void> {
    try {
      if (before) await this.#takeOver(before);
      for (const plugin of this.plugins) if (!this.#open.has(plugin)) await this.#openPlugin(plugin);
    } catch (fault) {
      await before?.openAgain(this);
      await this.close();
      throw fault;
    }
  }

  /** Like `open`, but a plugin that cannot be opened again remains closed alone: the caller has another error to tell. */
  async openAgain(after: PluginHost): Promise<void> {
    await this.#takeOver(after);
    for (const plugin of this.plugins)
      if (!this.#open.has(plugin)) await this.#openPlugin(plugin).catch(() => undefined);
  }

  /** Closes the open plugins, and releases the engine, because the engine that replaces it still holds this host. */
  async end(): Promise<void> {
    await this.close();
    this.#listener = undefined;
  }

  /** Closes the open plugins. Errors are ignored, and each plugin has only until the deadline. */
  async close(): Promise<void> {
    const open = [...this.#open];
    this.#open.clear();
    await Promise.all(open.map((plugin) => this.#closePlugin(plugin)));
  }

  async #takeOver(before: PluginHost): Promise<void> {
    const staying = this.plugins.filter(
      (plugin) =>
        before.#open.has(plugin) && isDeepStrictEqual(before.apiOf(plugin).knobs, this.apiOf(plugin).knobs),
    );
    for (const plugin of staying) {
      before.#open.delete(plugin);
      this.#open.add(plugin);
      // The plugin was given the API of the earlier host, and logs with it.
      this.#apis.set(plugin.name, before.apiOf(plugin));
    }
    this.#shared = before.#shared;
    this.#shared.listener = this.#listener;
    await before.close();
  }

  async #openPlugin(plugin: LoadedPlugin): Promise<void> {
    const { name } = plugin;
    let fault: Error | undefined;
    try {
      const done = await inTime(this.parts.loadMs, () => plugin.open?.(this.apiOf(plugin)));
      if (done === LATE) fault = lateError(name, 'open()', this.parts.loadMs);
    } catch (cause) {
      const remedy = 'Mend what it says, or take it out of plugins.';
      const found = `open() threw: ${firstLineOf(cause)}`;
      fault = pluginError('PLUGIN_FAILED', { plugin: name, found, remedy, cause });
    }
    if (!fault) return void this.#open.add(plugin);
    await this.#closePlugin(plugin);
    throw fault;
  }

  async #closePlugin({ close }: LoadedPlugin): Promise<void> {
    await inTime(this.parts.loadMs, () => close?.()).catch(() => undefined);
  }
}

/** State that successive hosts share. */
interface Shared {
  readonly inFlight: Set<HookInFlight>;
  listener: PluginListener | undefined;
}

/** Values are copied on the way in and out, so that no caller can change the kept ones. */
function valuesOf(plugin: string, store: HostParts['store'], scope: string): PluginValues {
  const memory = new Map<string, Json>();
  return Object.freeze({
    async get(key: string) {
      return store ? store.value(scope, key) : copy(memory.get(key));
    },
    async set(key: string, value: unknown) {
      const json = asJson(plugin, key, value);
      if (store) await store.setValue(scope, key, json);
      else if (json === undefined) memory.delete(key);
      else memory.set(key, json);
    },
    async all() {
      if (store) return store.values(scope);
      return Object.fromEntries([...memory].map(([key, value]) => [key, copy(value)]));
    },
  });
}

function asJson(plugin: string, key: string, value: unknown): Json | undefined {
  try {
    return copy(value) as Json | undefined;
  } catch (cause) {
    const found = `values.set('${key}') of what is no JSON: ${firstLineOf(cause)}`;
    throw pluginError('PLUGIN_FAILED', { plugin, found, remedy: 'Keep plain JSON.', cause });
  }
}

const copy = (value: unknown): unknown => (value === undefined ? undefined : jsonOf(value));

const Answer = z.strictObject({
  skip: z.union([z.boolean(), z.string()]).optional(),
  retain: z.array(z.string()).optional(),
  inject: z.union([z.string(), z.array(z.string())]).optional(),
});

/** The answer of an observer before a compaction, in one shape. */
export interface ReadAnswer {
  /** The reason to skip the compaction. */
  readonly skip?: string;
  readonly retain: readonly string[];
  /** Undefined: the text that the observer had carried before remains. */
  readonly inject?: readonly string[];
}

/** Throws `TypeError` if the value is not a valid answer. */
export function readAnswer(value: unknown): ReadAnswer {
  const { retain: ids, inject: texts } = (value ?? {}) as { readonly retain?: unknown; inject?: unknown };
  for (const list of [ids, texts]) if (Array.isArray(list)) listFrom(list);
  const { data, error } = Answer.safeParse(value ?? {});
  if (error)
    throw new TypeError(`answered what is no answer: ${z.prettifyError(error).replaceAll(/\s+/g, ' ')}`);
  const { skip = false, retain = [], inject } = data;
  return {
    retain,
    ...(skip !== false && { skip: skip === true || skip.trim() === '' ? 'asked to skip it' : skip }),
    ...(inject !== undefined && { inject: [inject].flat().filter((text) => text.trim() !== '') }),
  };
}
