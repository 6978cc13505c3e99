import type { AgentConfig } from '../../config/index.js';
import type { Policy } from '../../pipeline/index.js';
import type { LoadedPlugin, PluginHost } from '../../plugins/index.js';

/** The plugins of an engine as one session has them. */
export interface SessionPlugins {
  readonly host: PluginHost;
  /** Who makes its compactions under `delegate`. */
  readonly compactor: LoadedPlugin | undefined;
  /** Knobs of its agent, by plugin. */
  readonly knobs: Readonly<Record<string, unknown>>;
  /** Milliseconds. */
  readonly limits: {
    readonly preCompactMs: number;
    readonly postCompactMs: number;
    readonly compactMs: number;
  };
  /** Newest messages that compaction keeps. */
  readonly kept: number;
}

export const sessionPlugins = (host: PluginHost, { knobs, settings }: AgentConfig): SessionPlugins => ({
  host,
  compactor: host.compactorOf(settings.compaction.compactor),
  knobs,
  limits: settings.pluginLimits,
  kept: settings.thresholds.retainCount,
});

/** Whether a plugin is asked before runs of this policy. */
export const asksPlugins = ({ host }: SessionPlugins, policy: Policy): boolean =>
  policy.delegates === true || host.plugins.some(({ observer }) => observer?.preCompact);
