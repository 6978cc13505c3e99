import { SpillwayError } from '../errors/index.js';
import { agentLayers, type AgentLayer, type AgentSources } from './agent-layers.js';
import { deepFreeze, type AgentConfig } from './effective.js';
import type { ConfigFault, Origin } from './faults.js';
import type { Layer } from './layer.js';
import { showPath } from './path.js';
import type { Settings } from './schema.js';

interface ParsedAgent {
  readonly settings: unknown;
  readonly stages: Readonly<Record<string, unknown>>;
  readonly knobs: Readonly<Record<string, unknown>>;
  readonly faults: readonly ConfigFault[];
  readonly origin: (path: string) => Origin;
}

/**
 * What is in force for each agent: the settings of all, those of its parents, its own, key by key. Throws
 * `CONFIG_INVALID` with the faults of all agents.
 */
export async function agentConfigs(
  sources: AgentSources,
  parsedWith: (layers: readonly Layer[]) => ParsedAgent,
): Promise<Readonly<Record<string, AgentConfig>>> {
  const layers = await agentLayers(sources);
  const faults: ConfigFault[] = [];
  const configs = layers.map(({ path, layer }) => {
    const parsed = parsedWith(chainOf(path, layers).map((one) => one.layer));
    const place = showPath(['agents', path]);
    faults.push(
      ...[...layer.faults, ...parsed.faults].map((fault) => ({
        ...fault,
        subject: /^agent(s|Files)\b/.test(fault.subject) ? fault.subject : `${place}.${fault.subject}`,
      })),
    );
    const { settings, stages, knobs, origin } = parsed;
    return [
      path,
      {
        settings: deepFreeze(settings as Settings),
        stages: deepFreeze(stages),
        knobs: deepFreeze(knobs),
        origin,
      },
    ] as const;
  });
  if (faults.length === 0) return Object.freeze(Object.fromEntries(configs));
  const remedy = 'Mend the settings of that agent.';
  throw new SpillwayError('CONFIG_INVALID', { subject: 'agents', remedy, faults });
}

/** The agent with those that it stands below, the uppermost first. */
const chainOf = (path: string, layers: readonly AgentLayer[]): readonly AgentLayer[] =>
  layers.filter((one) => one.path === path || path.startsWith(`${one.path}/`));
