import { resolve } from 'node:path';
import { loadPlugins, shapedPlugin, type LoadedPlugin } from '../../plugins/index.js';
import { importModule } from '../../user-module.js';

/** A plugin as it is judged: a package in a folder, or what a module exports. */
export interface PluginSubject {
  /** Folder of its package.json. */
  readonly folder?: string;
  /** Where it is no package: an object, or a function that makes one for each engine. */
  readonly plugin?: unknown;
  /** Name of what is no package. */
  readonly name?: string;
  /** Knobs to try in place of the defaults, as an operator would write them: a folder to write to, a switch turned on. */
  readonly knobs?: readonly unknown[];
  /** Milliseconds that it may take to load and to open (10,000), and that each hook may take (5,000). */
  readonly limits?: { readonly loadMs?: number; readonly hookMs?: number };
}

export const loadMsOf = ({ limits }: PluginSubject): number => limits?.loadMs ?? 10_000;
export const hookMsOf = ({ limits }: PluginSubject): number => limits?.hookMs ?? 5_000;

/** One for an engine of its own. Rejects as loading at start does. */
export async function loadedFor(subject: PluginSubject): Promise<LoadedPlugin> {
  const { folder, plugin, name = 'plugin' } = subject;
  if (folder === undefined) {
    const made: unknown = typeof plugin === 'function' ? await (plugin as () => unknown)() : plugin;
    return shapedPlugin(made, nameOf(made) ?? name);
  }
  const named = [{ named: resolve(folder), from: '.' }];
  const [loaded] = await loadPlugins({ named, given: [], deadlineMs: loadMsOf(subject), importModule });
  return loaded!;
}

function nameOf(made: unknown): string | undefined {
  const { name } = (made ?? {}) as { readonly name?: unknown };
  return typeof name === 'string' && name !== '' ? name : undefined;
}
