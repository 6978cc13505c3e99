import { basename, dirname } from 'node:path';
import { SpillwayError } from '../errors/index.js';
import { AGENT_FILE_NAMES } from './document-names.js';
import { deepFreeze, type AgentConfig } from './effective.js';
import type { ConfigFault, Origin } from './faults.js';
import { frontmatterOf, readText } from './files.js';
import { byPath, layerOf, type Layer, type Reading, type SettingsByPath } from './layers.js';
import { showPath, valueAt } from './path.js';
import type { Settings } from './schema.js';
import { widerThan } from './scopes.js';

/** The result of a parse, with its faults. */
export interface ParsedConfig extends AgentConfig {
  readonly faults: readonly ConfigFault[];
}

interface AgentSources extends Reading {
  readonly agentFiles: Settings['agentFiles'];
  readonly settings: SettingsByPath;
  readonly origin: (path: string) => Origin;
  /** The configuration with these layers on top of those for all agents. */
  readonly parsedWith: (layers: readonly Layer[]) => ParsedConfig;
}

/**
 * The configuration of each agent that the settings name: the settings for all agents, those of its parents, and its
 * own, key by key. Throws `CONFIG_INVALID` with the faults of all agents.
 */
export async function agentConfigs(sources: AgentSources): Promise<Readonly<Record<string, AgentConfig>>> {
  const { agentFiles, settings, parsedWith } = sources;
  const named = Object.values(settings).filter(({ path }) => path[0] === 'agents' && path.length > 1);
  const paths = new Set([...named.map(({ path }) => String(path[1])), ...Object.keys(agentFiles)]);
  const layers = new Map<string, readonly Layer[]>();
  for (const agent of paths) {
    const own = named.filter(({ path }) => path[1] === agent && path.length > 2);
    const local = byPath(own.map((one) => ({ ...one, path: one.path.slice(2) })));
    layers.set(agent, [...(await layersOfFile(agent, sources)), { settings: local, faults: [] }]);
  }
  const faults: ConfigFault[] = [];
  const configs = [...paths].map((agent) => {
    // A parent's path is shorter than the paths below it.
    const above = [...paths].filter((one) => agent === one || agent.startsWith(`${one}/`));
    const chain = above.toSorted((a, b) => a.length - b.length).flatMap((one) => layers.get(one)!);
    const { faults: found, ...parsed } = parsedWith(chain);
    const own = layers
      .get(agent)!
      .flatMap((layer) => [...layer.faults, ...widerThan('agent', layer, ['agents', agent])]);
    const place = showPath(['agents', agent]);
    faults.push(
      ...[...own, ...found].map((fault) => ({
        ...fault,
        subject: /^agent(s|Files)\b/.test(fault.subject) ? fault.subject : `${place}.${fault.subject}`,
      })),
    );
    return [agent, deepFreeze(parsed)] as const;
  });
  if (faults.length === 0) return Object.freeze(Object.fromEntries(configs));
  const remedy = 'Mend the settings of that agent.';
  throw new SpillwayError('CONFIG_INVALID', { subject: 'agents', remedy, faults });
}

/** The layers of an agent file: `features.compaction` and `context`; all other fields belong to its host. */
async function layersOfFile(
  agent: string,
  { agentFiles, origin, root, names }: AgentSources,
): Promise<readonly Layer[]> {
  if (!Object.hasOwn(agentFiles, agent)) return [];
  const file = agentFiles[agent]!;
  const subject = showPath(['agentFiles', agent]);
  const text = await readText(file);
  if (text === undefined) {
    const [allowed, remedy] = ['the path of an agent file', 'Name an agent file that exists.'];
    const fault = { subject, found: file, allowed, remedy, origin: origin(subject) };
    return [{ settings: {}, faults: [fault] }];
  }
  const from: Origin = `file ${basename(file)}`;
  const { tree, faults } = await frontmatterOf(text, from);
  const settings = {
    features: { compaction: valueAt(tree, ['features', 'compaction']) },
    context: valueAt(tree, ['context']),
  };
  const reading = { root, names: { ...names, ...AGENT_FILE_NAMES }, folder: dirname(file) };
  return [layerOf(settings, from, reading), { settings: {}, faults }];
}
