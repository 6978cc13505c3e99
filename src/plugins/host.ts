import type { PluginApi, SessionStore, WireFormat } from '../spi/index.js';
import { apiFor, closePlugins, openPlugins, type HearPlugin } from './api.js';
import { HooksInFlight } from './in-flight.js';
import type { LoadedPlugin } from './shape.js';

interface HostParts {
  readonly plugins: readonly LoadedPlugin[];
  readonly store?: Pick<SessionStore, 'value' | 'setValue' | 'values'> | undefined;
  /** Knobs as the settings of all have them, by plugin. */
  readonly knobs: Readonly<Record<string, unknown>>;
  /** Milliseconds that each may take to open, and to close. */
  readonly loadMs: number;
}

/** The plugins of one engine, each with its API. */
export class PluginHost {
  readonly plugins: readonly LoadedPlugin[];
  /** Over all sessions. */
  readonly inFlight = new HooksInFlight();
  readonly #apis: ReadonlyMap<string, PluginApi>;
  readonly #loadMs: number;
  /** Who hears what plugins say outside a session. */
  onSaid: HearPlugin | undefined;
  #isOpen = false;

  constructor({ plugins, store, knobs, loadMs }: HostParts) {
    this.plugins = plugins;
    this.#loadMs = loadMs;
    const hear: HearPlugin = (...said) => this.onSaid?.(...said);
    this.#apis = new Map(plugins.map((plugin) => [plugin.name, apiFor(plugin, { hear, store, knobs })]));
  }

  /** Who makes the compactions of an agent: the one that its settings name, else the one there is. */
  compactorOf(named: string | null): LoadedPlugin | undefined {
    return this.plugins.find(({ name, compactor }) => compactor && (named === null || name === named));
  }

  /** Wire formats that they bring. */
  get formats(): readonly WireFormat[] {
    return this.plugins.flatMap(({ formats = [] }) => formats);
  }

  /** What a plugin was opened with; its hooks have the knobs and the log of their session instead. */
  apiOf({ name }: LoadedPlugin): PluginApi {
    return this.#apis.get(name)!;
  }

  /** Opens each plugin. Rejects with `PLUGIN_FAILED` or `PLUGIN_LATE`, and then none is open. */
  async open(): Promise<void> {
    await openPlugins(this.plugins, (plugin) => this.apiOf(plugin), this.#loadMs);
    this.#isOpen = true;
  }

  /** Closes those that were opened; never rejects. */
  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await closePlugins(this.plugins, this.#loadMs);
  }
}
