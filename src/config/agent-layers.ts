import { basename, dirname } from 'node:path';
import { translated, type Alias, type Tree } from './alias.js';
import type { ConfigFault, Origin } from './faults.js';
import { AGENT_FILE_NAMES } from './document-names.js';
import { frontmatterOf } from './frontmatter.js';
import { Layer } from './layer.js';
import { showPath, valueAt, type Path } from './path.js';
import { rebased } from './rebase.js';
import type { Settings } from './schema.js';
import type { Section } from './shape.js';
import { readText } from './source.js';

/** Settings of the whole process, which no agent can have for itself. */
const PROCESS_WIDE: readonly Path[] = [
  ['agents'],
  ['agentFiles'],
  ['store'],
  ['models'],
  ['counter'],
  ['plugins'],
  ['pluginLimits', 'loadMs'],
  ['fill', 'queue'],
  ['fill', 'work'],
  ['fill', 'maxCostPerHour'],
  ['fill', 'maxTokensPerHour'],
];

/** What one agent says for itself, as a layer on those of its parents. */
export interface AgentLayer {
  readonly path: string;
  readonly layer: Layer;
}

export interface AgentSources {
  readonly settings: Pick<Settings, 'agents' | 'agentFiles'>;
  readonly origin: (path: string) => Origin;
  readonly root: Section;
  readonly aliases: readonly Alias[];
}

/** The layers of all agents that the settings name, parents first. What is wrong in them stands in their faults. */
export async function agentLayers(sources: AgentSources): Promise<readonly AgentLayer[]> {
  const { agents, agentFiles } = sources.settings;
  const paths = [...new Set([...Object.keys(agents), ...Object.keys(agentFiles)])];
  // Parents are shorter than what stands below them.
  paths.sort((a, b) => a.length - b.length);
  return Promise.all(paths.map((path) => layerOf(path, sources)));
}

async function layerOf(
  path: string,
  { settings: { agents, agentFiles }, origin, root, aliases }: AgentSources,
): Promise<AgentLayer> {
  const layer = new Layer(root);
  const add = (tree: unknown, from: Origin, folder?: string): void => {
    const names = folder === undefined ? aliases : [...AGENT_FILE_NAMES, ...aliases];
    const own = translated(tree, names, from);
    layer.faults.push(...own.faults, ...processWide(own.tree, path, from));
    layer.add(folder === undefined ? own.tree : rebased(own.tree, folder), from);
  };
  const file = agentFiles[path];
  if (file !== undefined) {
    const from: Origin = `file ${basename(file)}`;
    const { tree, faults } = await agentFile(file, path, from);
    layer.faults.push(...faults);
    add(tree, from, dirname(file));
  }
  const place = showPath(['agents', path]);
  if (agents[path] !== undefined) add(agents[path], origin(place));
  return { path, layer };
}

/** What an agent file says of compaction: `features.compaction` and `context`; all else is its host's. */
async function agentFile(
  file: string,
  path: string,
  origin: Origin,
): Promise<{ readonly tree: Tree; readonly faults: readonly ConfigFault[] }> {
  const subject = showPath(['agentFiles', path]);
  const text = await readText(file);
  if (text === undefined) {
    const remedy = 'Name an agent file that exists.';
    return {
      tree: {},
      faults: [{ subject, found: file, allowed: 'the path of an agent file', remedy, origin }],
    };
  }
  const { tree, faults } = await frontmatterOf(text, origin);
  const compaction = valueAt(tree, ['features', 'compaction']);
  const context = valueAt(tree, ['context']);
  return {
    tree: {
      ...(compaction !== undefined && { features: { compaction } }),
      ...(context !== undefined && { context }),
    },
    faults,
  };
}

function processWide(tree: unknown, agent: string, origin: Origin): ConfigFault[] {
  return PROCESS_WIDE.flatMap((path) => {
    const found = valueAt(tree, path);
    if (found === undefined) return [];
    const remedy = 'It holds for the whole process: set it beside `agents`, not in it.';
    const subject = showPath(['agents', agent, ...path]);
    return [{ subject, found, allowed: 'settings that one agent can have for itself', remedy, origin }];
  });
}
