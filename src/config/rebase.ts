import { isAbsolute, resolve } from 'node:path';
import { isMapping } from './path.js';

/** A prompt is a path where it looks like one, else a name in the folder of prompts. */
const isPromptPath = (value: string): boolean => /[\\/]|\.md$/.test(value);

/**
 * Paths in a configuration file are taken from where the file stands, wherever the process was started: the folder of
 * prompts, single prompt files, prompts named by path, the file of a store, the root of pinned sources, plugins; also those that one agent has for itself.
 */
export function rebased(tree: unknown, folder: string): unknown {
  const at = (value: unknown): unknown =>
    typeof value === 'string' && value !== '' && !isAbsolute(value) ? resolve(folder, value) : value;
  const promptAt = (value: unknown): unknown =>
    typeof value === 'string' && isPromptPath(value) ? at(value) : value;
  // `:memory:` is no file.
  const storeAt = (value: unknown): unknown => {
    const file = typeof value === 'string' ? /^sqlite:(?:\/\/)?([^:].*)$/is.exec(value)?.[1] : undefined;
    return file === undefined ? value : `sqlite:${String(at(file))}`;
  };
  const pluginAt = (value: unknown): unknown =>
    typeof value === 'string' && /^\.{1,2}([\\/]|$)/.test(value) ? at(value) : value;
  const inPrompt = (value: unknown): unknown => changed(value, { prompt: promptAt });
  return changed(tree, {
    store: storeAt,
    plugins: (plugins) => (Array.isArray(plugins) ? plugins.map(pluginAt) : plugins),
    fill: (fill) => changed(fill, { prompts: at, promptFiles: (files) => each(files, at) }),
    compaction: inPrompt,
    pins: (pins) => changed(pins, { root: at }),
    summarizerAgents: (agents) => each(agents, inPrompt),
    agentFiles: (files) => each(files, at),
    agents: (agents) => each(agents, (agent) => rebased(agent, folder)),
  });
}

type Change = (value: unknown) => unknown;

function changed(tree: unknown, changes: Readonly<Record<string, Change>>): unknown {
  if (!isMapping(tree)) return tree;
  // Only keys of its own: a file may say `__proto__`, which is refused later, by name.
  const entries = Object.entries(tree).map(([key, value]) => {
    const change = Object.hasOwn(changes, key) ? changes[key] : undefined;
    return [key, change ? change(value) : value] as const;
  });
  return Object.fromEntries(entries);
}

const each = (tree: unknown, change: Change): unknown =>
  isMapping(tree)
    ? Object.fromEntries(Object.entries(tree).map(([key, value]) => [key, change(value)]))
    : tree;
