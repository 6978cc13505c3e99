import { join } from 'node:path';
import type { ZodType } from 'zod/v4';
import { SpillwayError } from '../errors/index.js';
import { agentConfigs, type ParsedConfig } from './agents.js';
import { renderDefaults } from './default-yaml.js';
import { DOCUMENT_NAMES } from './document-names.js';
import {
  deepFreeze,
  entriesOf,
  type AgentConfig,
  type EffectiveConfig,
  type Overrides,
} from './effective.js';
import { envLayers, type Environment } from './env.js';
import { issueFaults, unknownKey, type ConfigFault, type Issue, type Parsed } from './faults.js';
import { DEFAULT_PROFILE, fileSource, parseSource, profileSources, readText, type Source } from './files.js';
import { placesIn, wholeSchema, type JsonSchema, type Schemas } from './json-schema.js';
import {
  defaultLayer,
  mergeLayers,
  layerOf,
  originIn,
  treeOf,
  type Layer,
  type SettingsByPath,
} from './layers.js';
import { isMapping, valueAt } from './path.js';
import { PluginLimits } from './pipeline-fields.js';
import { Settings, settingsWith, type PluginNames } from './schema.js';
import { widerThan } from './scopes.js';

/** The plugin settings, which are read first, because plugins determine which other settings are allowed. */
export interface NamedPlugins {
  /** The plugins as named, with the folder from which each is resolved. */
  readonly plugins: readonly { readonly named: string; readonly from: string }[];
  readonly loadMs: number;
}

/** What plugins add to a configuration. */
export interface PluginShapes extends PluginNames {
  /** Options of the plugins' stages, by stage name. */
  readonly stageOptions: Readonly<Record<string, ZodType>>;
  /** The plugins' knobs, by plugin name. */
  readonly knobs: Readonly<Record<string, ZodType>>;
}

export interface LoadOptions {
  /** The name of a profile, or the path of a profile file. Overrides `SPILLWAY_PROFILE`, which overrides `extends`. */
  readonly profile?: string | undefined;
  /** The operator's file; by default that of `SPILLWAY_CONFIG`, otherwise no file. */
  readonly file?: string | undefined;
  readonly env: Environment;
  readonly overrides?: Overrides | undefined;
  /** The options schema of each known stage, built-in or third-party, by stage name. */
  readonly stageOptions: Readonly<Record<string, ZodType>>;
  /** Built-in stages that are absent or replaced: their settings in default.yaml and profiles are left out. */
  readonly absent?: readonly string[];
  /** The folder with default.yaml and profiles/. */
  readonly configDir: string;
  /** Loads the named plugins and returns what they add; without this function, settings may not name any. */
  readonly plugins?: (named: NamedPlugins) => Promise<PluginShapes>;
}

/**
 * Loads the configuration: defaults < default.yaml < profile < file < environment < code. Throws `CONFIG_INVALID` with
 * every fault at once, `PROFILE_UNKNOWN`, or `INPUT_UNREADABLE`.
 */
export async function loadConfig(options: LoadOptions): Promise<EffectiveConfig> {
  const { env, configDir, stageOptions, overrides } = options;
  const file = options.file ?? nonEmpty(env['SPILLWAY_CONFIG']);
  const own = file === undefined ? undefined : await fileSource(file);
  const named = options.profile ?? nonEmpty(env['SPILLWAY_PROFILE']);
  const from = named === undefined ? (own?.folder ?? '.') : '.';
  const profiles = await profileSources(named ?? own?.extends ?? DEFAULT_PROFILE, configDir, from);
  const family = profiles
    .map(({ origin }) => origin.replace(/^profile /, ''))
    .findLast((name) => Object.hasOwn(DOCUMENT_NAMES, name));
  const names = family === undefined ? {} : DOCUMENT_NAMES[family];
  const sources: readonly Source[] = own ? [...profiles, own] : profiles;

  const layersUnder = async (root: JsonSchema): Promise<readonly Layer[]> => [
    ...(await defaultLayers(root, options)),
    ...sources.map((source) =>
      layerOf(source.tree, source.origin, {
        root,
        names,
        folder: source.folder,
        absent: source === own ? [] : options.absent,
      }),
    ),
    ...envLayers(env, { root, names }),
    layerOf(overrides, 'code', { root, names }),
  ];

  let schemas: Schemas = { settings: Settings, stages: stageOptions, knobs: {} };
  let root = wholeSchema(schemas);
  let layers = await layersUnder(root);
  const plugins = await options.plugins?.(namedPlugins(mergeLayers(layers), sources));
  if (plugins && Object.values(plugins).some((brought) => Object.keys(brought).length > 0)) {
    const stages = { ...stageOptions, ...plugins.stageOptions };
    schemas = { settings: settingsWith(plugins), stages, knobs: plugins.knobs };
    root = wholeSchema(schemas);
    layers = await layersUnder(root);
  }

  const parseWith = (more: readonly Layer[]): ParsedConfig => {
    const parsed = parse(mergeLayers([...layers, ...more]), schemas, root);
    return { ...parsed, tuned: (run) => tuned(layerOf(run, 'code', { root, names }), more) };
  };
  const tuned = (run: Layer, more: readonly Layer[]): AgentConfig => {
    const { faults, ...parsed } = parseWith([...more, run]);
    const found = [...run.faults, ...widerThan('run', run), ...faults];
    if (found.length === 0) return deepFreeze(parsed);
    const remedy = 'Mend the settings of that run.';
    throw new SpillwayError('CONFIG_INVALID', { subject: 'settings of a run', remedy, faults: found });
  };
  const winners = mergeLayers(layers);
  const { faults: wrong, ...parsed } = parseWith([]);
  const faults = [...[...sources, ...layers].flatMap((source) => source.faults), ...wrong];
  if (faults.length > 0) {
    const remedy = 'Mend the settings that are listed.';
    throw new SpillwayError('CONFIG_INVALID', { subject: 'configuration', remedy, faults });
  }
  const { settings, stages, knobs, origin } = deepFreeze(parsed);
  const agents = await agentConfigs({
    agentFiles: settings.agentFiles,
    settings: winners,
    root,
    names,
    origin,
    parsedWith: parseWith,
  });
  const entries = deepFreeze([...entriesOf(placesIn(root), { ...settings, stages, knobs }, origin)]);
  return Object.freeze({ ...parsed, agents, entries });
}

/** The highest layer that names plugins decides, as with any list; a package is resolved from the file naming it. */
function namedPlugins(settings: SettingsByPath, sources: readonly Source[]): NamedPlugins {
  const { value, origin } = settings['plugins'] ?? {};
  const from = sources.find((source) => source.origin === origin)?.folder ?? '.';
  const limits = PluginLimits.safeParse({ loadMs: settings['pluginLimits.loadMs']?.value });
  return {
    plugins: (Array.isArray(value) ? (value as unknown[]) : [])
      .filter((named): named is string => typeof named === 'string' && named !== '')
      .map((named) => ({ named, from })),
    loadMs: (limits.data ?? PluginLimits.parse({})).loadMs,
  };
}

/** The schemas' defaults, with default.yaml on top, which is not parsed if unchanged; an operator's edits count. */
async function defaultLayers(root: JsonSchema, { configDir, absent }: LoadOptions): Promise<Layer[]> {
  const defaults = defaultLayer(root);
  const text = await readText(join(configDir, 'default.yaml'));
  if (text === undefined || text.replaceAll('\r\n', '\n') === renderDefaults(root)) return [defaults];
  const { tree, origin, faults } = await parseSource(text, 'file default.yaml');
  const layer = layerOf(tree, origin, { root, absent });
  const edited = Object.entries(layer.settings).filter(
    ([path, { value }]) => JSON.stringify(value) !== JSON.stringify(defaults.settings[path]?.value),
  );
  return [defaults, { settings: Object.fromEntries(edited), faults: [...faults, ...layer.faults] }];
}

/** Settings, options and knobs, parsed by their schemas, with every fault. */
function parse(winners: SettingsByPath, schemas: Schemas, root: JsonSchema): Omit<ParsedConfig, 'tuned'> {
  const tree = treeOf(Object.values(winners));
  const origin = originIn(winners);
  const parsed: Parsed = { tree, root, origin };
  const { stages: _, knobs: __, ...plain } = tree;
  const faults: ConfigFault[] = [];
  const check = (schema: ZodType, value: unknown, below: readonly string[]): unknown => {
    try {
      // zod's compiled parser costs more than it saves in the one parse at start.
      const result = schema.safeParse(value, { jitless: true });
      if (result.success) return result.data;
      // Unknown keys come first, because one may be the reason for a missing value.
      const isUnknown = ({ code }: Issue): number => Number(code === 'unrecognized_keys');
      const issues = [...(result.error.issues as readonly Issue[])].sort(
        (a, b) => isUnknown(b) - isUnknown(a),
      );
      faults.push(...issues.flatMap((issue) => issueFaults(issue, parsed, below)));
    } catch (cause) {
      // A plugin's schema that throws, or is asynchronous.
      const message = `The schema failed: ${(cause as Error).message}.`;
      faults.push(...issueFaults({ code: 'custom', path: [], message }, parsed, below));
    }
    return undefined;
  };
  const each = (section: 'stages' | 'knobs'): Record<string, unknown> => {
    const given = isMapping(tree[section]) ? tree[section] : {};
    const unknown = Object.keys(given).filter((name) => !Object.hasOwn(schemas[section], name));
    faults.push(...unknown.map((name) => unknownKey([section, name], parsed)));
    const checked = Object.entries(schemas[section]).map(([name, schema]) => {
      const path = [section, name];
      return [name, check(schema, valueAt(tree, path) ?? {}, path)];
    });
    return Object.fromEntries(checked) as Record<string, unknown>;
  };
  const settings = check(schemas.settings, plain, []) as Settings;
  return { settings, stages: each('stages'), knobs: each('knobs'), origin, faults };
}

const nonEmpty = (text: string | undefined): string | undefined => (text === '' ? undefined : text);
