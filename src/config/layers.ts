import { isAbsolute, resolve } from 'node:path';
import convict from 'convict';
import { translate, type Names } from './document-names.js';
import { changeIn, rankOf, type ConfigFault, type Origin } from './faults.js';
import { allowed, isSection, placesIn, schemaAt, typesOf, type JsonSchema } from './json-schema.js';
import { isMapping, isPrototypeKey, keysOfStars, showPath, type Path } from './path.js';

/** One value that a layer sets. An empty mapping means that its section exists. */
export interface Setting {
  readonly path: Path;
  readonly value: unknown;
  readonly origin: Origin;
}

/** Settings by shown path. */
export type SettingsByPath = Readonly<Record<string, Setting>>;

/** The settings of one source, with the faults of the source. */
export interface Layer {
  readonly settings: SettingsByPath;
  readonly faults: readonly ConfigFault[];
}

/** The rules for reading a source. */
export interface Reading {
  readonly root: JsonSchema;
  /** Names of a document that the source may use. */
  readonly names?: Names | undefined;
  /** The folder to which its paths are relative; if absent, paths are not changed. */
  readonly folder?: string | undefined;
  /** Stages that are left out of the source. */
  readonly absent?: readonly string[] | undefined;
}

/** Deeper than any setting, including an agent's. */
const MAX_LEVELS = 32;

/** Reads a tree down to single settings. Our own names override a document's names. */
export function layerOf(tree: unknown, origin: Origin, reading: Reading): Layer {
  const { root, names = {}, folder, absent = [] } = reading;
  const faults: ConfigFault[] = [];
  const named: Setting[] = [];
  const own: Setting[] = [];
  const refuse = (path: Path, found: unknown, what: string, remedy = changeIn(origin)): void =>
    void faults.push({ subject: showPath(path), found, allowed: what, remedy, origin });
  const refusePrototype = (path: Path): void =>
    refuse(path, undefined, 'any other name', `Rename it. ${changeIn(origin)}`);
  const refuseDepth = (path: Path): void =>
    refuse(path.slice(0, 2), undefined, `${MAX_LEVELS} levels, none of which holds itself`);

  const readValue = (value: unknown, path: Path, settings: Setting[], around: readonly unknown[]): void => {
    if (around.includes(value) || path.length > MAX_LEVELS) return refuseDepth(path);
    if (value === undefined || (path[0] === 'stages' && absent.includes(String(path[1])))) return;
    // An agent's settings have the same paths as the settings for all agents.
    const [agent, local] = path[0] === 'agents' ? [path.slice(0, 2), path.slice(2)] : [[], path];
    const at = path.length === 1 ? path : local;
    if (isPrototypeKey(String(path.at(-1)))) return refusePrototype(path);
    const translation = translate(names, at, value);
    if (translation?.allowed !== undefined) return refuse(path, value, translation.allowed);
    if (translation) {
      for (const one of translation.settings) readValue(one.value, [...agent, ...one.path], named, around);
      return;
    }
    const json = schemaAt(root, at);
    const isKnownSection = isSection(json);
    if (isMapping(value) && (isKnownSection || !json || !accepts(json, 'object'))) {
      const keys = Object.keys(value);
      if (keys.length === 0) settings.push({ path, value: {}, origin });
      for (const key of keys) readValue(value[key], [...path, key], settings, [...around, value]);
    } else if (!isKnownSection) {
      if (isDeeper(value, MAX_LEVELS - path.length)) return refuseDepth(path);
      const inside = prototypeKeyIn(value);
      if (inside) return refusePrototype([...path, ...inside]);
      settings.push({ path, value: folder === undefined ? value : rebase(at, value, folder), origin });
    } else if (value !== null) {
      // `thresholds:` with only comments below it sets nothing.
      refuse(path, value, allowed(json));
    }
  };

  if (isMapping(tree)) for (const [key, value] of Object.entries(tree)) readValue(value, [key], own, [tree]);
  else if (tree !== undefined && tree !== null) {
    // A file that is no mapping may be any file, so the error does not show its content.
    const found = Array.isArray(tree) ? `a list of ${tree.length}` : `a ${typeof tree}`;
    faults.push({
      subject: 'the whole file',
      found,
      allowed: allowed(root),
      remedy: changeIn(origin),
      origin,
    });
  }
  const settings = [...named, ...own].filter(({ path }) => path.length > 0);
  return { settings: byPath(settings), faults };
}

export const byPath = (settings: readonly Setting[]): SettingsByPath =>
  Object.fromEntries(settings.map((one) => [showPath(one.path), one]));

const accepts = (json: JsonSchema, type: string): boolean => {
  const types = typesOf(json);
  return types.size === 0 || types.has(type);
};

/** Whether a value is read level by level; instances of a plugin's own classes are not. */
const isPlain = (value: unknown): value is object => Array.isArray(value) || isMapping(value);

const isDeeper = (value: unknown, levels: number): boolean =>
  isPlain(value) && (levels <= 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1)));

/** The path of a key inside a value that would reach an object's prototype. */
function prototypeKeyIn(value: unknown): Path | undefined {
  if (!isPlain(value)) return undefined;
  for (const [name, one] of Object.entries(value)) {
    const key = Array.isArray(value) ? Number(name) : name;
    const inside = isPrototypeKey(name) ? [] : prototypeKeyIn(one);
    if (inside) return [key, ...inside];
  }
  return undefined;
}

type Rebase = (value: unknown, at: (path: string) => string) => unknown;

const PATH: Rebase = (value, at) => (typeof value === 'string' && value !== '' ? at(value) : value);
/** A prompt is a path if it looks like one, otherwise a name in the folder of prompts. */
const PROMPT: Rebase = (value, at) => (/[\\/]|\.md$/.test(String(value)) ? PATH(value, at) : value);

/** Settings that are paths: in a file they are relative to the file's folder, not to the working directory. */
const PATHS: Readonly<Record<string, Rebase>> = {
  store: (value, at) => {
    // `:memory:` is no file.
    const file = typeof value === 'string' ? /^sqlite:(?:\/\/)?([^:].*)$/is.exec(value)?.[1] : undefined;
    return file === undefined ? value : `sqlite:${at(file)}`;
  },
  plugins: (value, at) =>
    Array.isArray(value) ? value.map((one) => (/^\.{1,2}([\\/]|$)/.test(one) ? at(one) : one)) : value,
  'fill.prompts': PATH,
  'fill.promptFiles.*': PATH,
  'compaction.prompt': PROMPT,
  'summarizerAgents.*.prompt': PROMPT,
  'pins.root': PATH,
  'agentFiles.*': PATH,
};

function rebase(path: Path, value: unknown, folder: string): unknown {
  const found = Object.entries(PATHS).find(([pattern]) => keysOfStars(pattern, path));
  const at = (file: string): string => (isAbsolute(file) ? file : resolve(folder, file));
  return found ? found[1](value, at) : value;
}

/** The lowest layer: the schemas' defaults. */
export function defaultLayer(root: JsonSchema): Layer {
  const initial = [...placesIn(root)].filter((place) => place.initial !== undefined);
  const tree = treeOf(
    initial.map(({ path, initial: value, isSection }) => ({ path, value: isSection ? {} : value })),
  );
  return layerOf(tree, 'default', { root });
}

/** Merges layers, lowest first: the winning value of each setting, with its origin. */
export function mergeLayers(layers: readonly Layer[]): SettingsByPath {
  const config = convict(
    { settings: { doc: 'By path.', format: Object, default: {} } },
    { env: {}, args: [] },
  );
  for (const { settings } of layers) config.load({ settings });
  return config.get('settings') as SettingsByPath;
}

/** The tree of settings. Paths contain no prototype keys, because layers refuse these. */
export function treeOf(settings: readonly Pick<Setting, 'path' | 'value'>[]): Record<string, unknown> {
  const tree: Record<string, unknown> = {};
  for (const { path, value } of settings) {
    let place = tree;
    for (const key of path.slice(0, -1)) {
      if (!isMapping(place[key])) place[key] = {};
      place = place[key] as Record<string, unknown>;
    }
    if (!Object.hasOwn(place, path.at(-1)!)) place[path.at(-1)!] = value;
  }
  return tree;
}

/** The highest origin at or in a path, else the nearest around it: an empty mapping only says that a section exists. */
export function originIn(settings: SettingsByPath): (path: string) => Origin {
  const isAround = (one: string, path: string): boolean =>
    path.startsWith(`${one}.`) || path.startsWith(`${one}[`);
  return (path) => {
    const keys = Object.keys(settings);
    const within = keys.filter((key) => key === path || isAround(path, key));
    const [last] = within.map((key) => settings[key]!.origin).toSorted((a, b) => rankOf(b) - rankOf(a));
    if (last !== undefined) return last;
    const around = keys.filter((key) => isAround(key, path)).toSorted((a, b) => b.length - a.length);
    return around.length > 0 ? settings[around[0]!]!.origin : 'default';
  };
}
