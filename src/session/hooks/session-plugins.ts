import { readInstructions, type AgentConfig } from '../../config/index.js';
import type { Policy } from '../../pipeline/index.js';
import type { LoadedPlugin, PluginHost } from '../plugins/index.js';
import type { ReadInstructions } from './instructions.js';

/** The plugins of an engine as one session has them. */
export interface SessionPlugins {
  readonly host: PluginHost;
  /** Who makes its compactions under `delegate`. */
  readonly compactor: LoadedPlugin | undefined;
  /** Reads instructions that stand outside the transcript; absent where none were named. */
  readonly instructions?: ReadInstructions | undefined;
}

/** Files that the settings name, and what the session's own function gives. */
function instructionsOf(
  { pins }: AgentConfig['settings'],
  own?: ReadInstructions,
): ReadInstructions | undefined {
  if (pins.sources.length === 0) return own;
  return async () => [...(await readInstructions(pins.sources, pins.root)), ...((await own?.()) ?? [])];
}

export const sessionPlugins = (
  host: PluginHost,
  { settings }: AgentConfig,
  instructions?: ReadInstructions,
): SessionPlugins => ({
  instructions: instructionsOf(settings, instructions),
  host,
  compactor: host.compactorOf(settings.compaction.compactor),
});

/** Whether runs of this policy take nothing but tool output: that is upkeep, and observers are neither asked nor told. */
export const onlyPrunes = ({ strategies = [] }: Policy): boolean =>
  strategies.includes('prune') && strategies.every((name) => name === 'prune' || name === 'checkpoint');

/** Whether a plugin is asked before runs of this policy. */
export const asksPlugins = ({ host, instructions }: SessionPlugins, policy: Policy): boolean =>
  policy.delegates === true ||
  instructions !== undefined ||
  (!onlyPrunes(policy) && host.plugins.some(({ observer }) => observer?.preCompact));
