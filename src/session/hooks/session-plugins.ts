import { readInstructions, type AgentConfig } from '../../config/index.js';
import type { Policy } from '../../pipeline/index.js';
import type { LoadedPlugin, PluginHost } from '../plugins/index.js';
import type { ReadInstructions } from './instructions.js';

/** The plugins of an engine for one session. */
export interface SessionPlugins {
  readonly host: PluginHost;
  /** The plugin that makes its compactions under `delegate`. */
  readonly compactor: LoadedPlugin | undefined;
  /** Readers of instructions from outside the transcript; empty if none are configured. */
  readonly instructions: readonly ReadInstructions[];
}

/** `own`: the session's reader of instructions; its instructions follow the files that the settings name. */
export function sessionPlugins(
  host: PluginHost,
  { settings: { compaction, pins } }: AgentConfig,
  own: ReadInstructions | undefined,
): SessionPlugins {
  const files = () => readInstructions(pins.sources, pins.root);
  const instructions = [...(pins.sources.length > 0 ? [files] : []), ...(own ? [own] : [])];
  return { host, compactor: host.compactorOf(compaction.compactor), instructions };
}

/** Whether runs of this policy remove only tool output. Observers are neither asked nor told about such upkeep. */
export const onlyPrunes = ({ strategies = [] }: Policy): boolean =>
  strategies.includes('prune') && strategies.every((name) => name === 'prune' || name === 'checkpoint');

/** Whether a plugin is asked before runs of this policy. */
export const asksPlugins = ({ host, instructions }: SessionPlugins, policy: Policy): boolean =>
  policy.delegates === true ||
  instructions.length > 0 ||
  (!onlyPrunes(policy) && host.plugins.some(({ observer }) => observer?.preCompact));
