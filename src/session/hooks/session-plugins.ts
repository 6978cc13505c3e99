import type { AgentConfig } from '../../config/index.js';
import type { Policy } from '../../pipeline/index.js';
import type { PluginHost } from '../../plugins/index.js';

/** The plugins of an engine as one session has them. */
export interface SessionPlugins {
  readonly host: PluginHost;
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
  knobs,
  limits: settings.pluginLimits,
  kept: settings.thresholds.retainCount,
});

/** Whether a plugin is asked before runs of this policy. */
export const asksPlugins = ({ host }: SessionPlugins, policy: Policy): boolean =>
  policy.delegates === true || host.plugins.some(({ observer }) => observer?.preCompact);
