import { dirname, join } from 'node:path';
import type { ZodType } from 'zod/v4';
import { SpillwayError } from '../errors/index.js';
import { renderDefaults } from './default-yaml.js';
import { agentConfigs } from './agent-configs.js';
import { translated } from './alias.js';
import { aliasVariables } from './alias-env.js';
import { pluginChecks } from './checks.js';
import { DOCUMENT_NAMES } from './document-names.js';
import { deepFreeze, entriesOf, originIn, type EffectiveConfig } from './effective.js';
import { envLayer, type Environment } from './env.js';
import {
  findingFault,
  issueFaults,
  type ConfigFault,
  type Issue,
  type Origin,
  type Parsed,
} from './faults.js';
import { layOver, treeOf } from './layering.js';
import { defaultLayer, Layer } from './layer.js';
import { valueAt } from './path.js';
import { DEFAULT_PROFILE, familyOf, profileSources, type NamedSource } from './profiles.js';
import {
  namedPlugins,
  NO_PLUGINS,
  pluginsInEnv,
  type NamedPlugins,
  type PluginShapes,
} from './named-plugins.js';
import { rebased } from './rebase.js';
import { Settings } from './schema.js';
import { configShape, type Section } from './shape.js';
import { parseSource, readText } from './source.js';

/** Any of the fields, at any depth; lists are given whole. */
export type DeepPartial<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { [K in keyof T]?: DeepPartial<T[K]> | undefined }
    : T;

/** Settings from code, with options under `stages` and `knobs`; they win over every other layer. */
export type Overrides = DeepPartial<Settings> & {
  stages?: Readonly<Record<string, unknown>>;
  /** Of plugins, by their names. */
  knobs?: Readonly<Record<string, unknown>>;
};

export interface LoadOptions {
  /** Name of a profile, or path of a profile file. Beats `SPILLWAY_PROFILE`, which beats the file's `extends`. */
  readonly profile?: string | undefined;
  /** The operator's file; without it `SPILLWAY_CONFIG`, without that none. */
  readonly file?: string | undefined;
  readonly env: Environment;
  readonly overrides?: Overrides | undefined;
  /** Options schema of each known stage, built in or third party, by the stage's name. */
  readonly stageOptions: Readonly<Record<string, ZodType>>;
  /** The folder that holds default.yaml and profiles/. */
  readonly configDir: string;
  /** Loads the plugins that the settings name and says what they add; without it a setting may name none. */
  readonly plugins?: (named: NamedPlugins) => Promise<PluginShapes>;
}

/** The schemas that a configuration is read against, beside that of the settings. */
interface Schemas {
  readonly stages: Readonly<Record<string, ZodType>>;
  readonly knobs: Readonly<Record<string, ZodType>>;
}

/**
 * Loads the configuration: defaults < default.yaml < profile < file < environment < code. Throws `CONFIG_INVALID` with
 * every fault at once, `PROFILE_UNKNOWN`, or `INPUT_UNREADABLE`.
 */
export async function loadConfig(options: LoadOptions): Promise<EffectiveConfig> {
  const { env, configDir } = options;
  const sources: NamedSource[] = [];
  const file = options.file ?? nonEmpty(env['SPILLWAY_CONFIG']);
  const own = file === undefined ? undefined : await fileSource(file);
  const named = options.profile ?? nonEmpty(env['SPILLWAY_PROFILE']);
  const profile = named ?? own?.extends ?? DEFAULT_PROFILE;
  const from = named === undefined && file !== undefined ? dirname(file) : '.';
  sources.push(...(await profileSources(profile, configDir, from)));
  const family = familyOf(sources, Object.keys(DOCUMENT_NAMES));
  const aliases = (family !== undefined && DOCUMENT_NAMES[family]) || [];

  const written = [
    ...sources.map(({ tree }) => ({ tree, folder: '.' })),
    ...(own ? [{ tree: own.tree, folder: dirname(file!) }] : []),
    ...pluginsInEnv(env),
    { tree: options.overrides, folder: '.' },
  ];
  const plugins = (await options.plugins?.(namedPlugins(written, env))) ?? NO_PLUGINS;
  const schemas: Schemas = {
    stages: { ...options.stageOptions, ...plugins.stageOptions },
    knobs: plugins.knobs,
  };
  const root = configShape(Settings, schemas.stages, schemas.knobs, {
    counter: plugins.counters,
    summarizer: plugins.summarizers,
    'compaction.compactor': plugins.compactors,
  });

  const defaults = defaultLayer(root);
  const layers = [await editedDefaults(root, defaults, configDir)];
  const add = (tree: unknown, origin: Origin, folder?: string): void => {
    const meant = translated(tree, aliases, origin);
    const layer = new Layer(root).add(
      folder === undefined ? meant.tree : rebased(meant.tree, folder),
      origin,
    );
    layer.faults.push(...meant.faults);
    layers.push(layer);
  };
  for (const { tree, origin } of sources) add(tree, origin);
  if (own) {
    sources.push(own);
    add(own.tree, own.origin, dirname(file!));
  }
  const { rest, trees } = aliasVariables(env, aliases);
  for (const { tree, origin } of trees) add(tree, origin);
  layers.push(envLayer(rest, root));
  add(options.overrides, 'code');

  const faults = [...sources.flatMap((source) => source.faults), ...layers.flatMap((layer) => layer.faults)];
  const winners = layOver(defaults, layers);
  const origin = originIn(winners);
  const tree = treeOf(winners.values());
  const parsed = parse(tree, schemas, plugins, { tree, root, origin });
  faults.push(...parsed.faults);
  if (faults.length > 0) {
    const remedy = 'Mend the settings that are listed.';
    throw new SpillwayError('CONFIG_INVALID', { subject: 'configuration', remedy, faults });
  }
  const settings = deepFreeze(parsed.settings as Settings);
  const stages = deepFreeze(parsed.stages);
  const knobs = deepFreeze(parsed.knobs);
  const agents = await agentConfigs({ settings, origin, root, aliases }, (own) => {
    const mine = layOver(defaults, [...layers, ...own]);
    const whose = originIn(mine);
    const whole = treeOf(mine.values());
    return { ...parse(whole, schemas, plugins, { tree: whole, root, origin: whose }), origin: whose };
  });
  const entries = deepFreeze(entriesOf(root, { ...settings, stages, knobs }, origin));
  return Object.freeze({ settings, stages, knobs, origin, agents, entries });
}

async function fileSource(file: string): Promise<NamedSource> {
  const text = await readText(file);
  if (text === undefined) {
    const remedy = 'Name a configuration file that exists.';
    throw new SpillwayError('INPUT_UNREADABLE', { subject: file, found: 'no such file', remedy });
  }
  const source = await parseSource(text, `file ${file}`);
  return { ...source, origin: `file ${file}` };
}

/** default.yaml as shipped says what the schema says, and is not parsed; an operator's edits in it are a layer. */
async function editedDefaults(root: Section, defaults: Layer, configDir: string): Promise<Layer> {
  const layer = new Layer(root);
  const text = await readText(join(configDir, 'default.yaml'));
  if (text === undefined || text.replaceAll('\r\n', '\n') === renderDefaults(root)) return layer;
  const source = await parseSource(text, 'file default.yaml');
  layer.faults.push(...source.faults);
  layer.add(source.tree, 'file default.yaml');
  for (const [path, { value }] of layer.assignments) {
    const same = JSON.stringify(value) === JSON.stringify(defaults.assignments.get(path)?.value);
    if (same) layer.assignments.delete(path);
  }
  return layer;
}

function parse(
  tree: Record<string, unknown>,
  { stages: stageOptions, knobs: knobSchemas }: Schemas,
  plugins: PluginShapes,
  parsed: Parsed,
) {
  const { stages: _, knobs: __, ...plain } = tree;
  const faults: ConfigFault[] = [];
  const check = (schema: ZodType, value: unknown, below: readonly string[]): unknown => {
    try {
      // The parser zod compiles for a schema costs more than the one parse of a start gains by it.
      const result = schema.safeParse(value, { jitless: true });
      if (result.success) return result.data;
      const issues: readonly Issue[] = result.error.issues;
      faults.push(...issues.flatMap((issue) => issueFaults(issue, parsed, below)));
    } catch (cause) {
      // A plugin's schema that throws, or that is asynchronous.
      const issue: Issue = {
        code: 'custom',
        path: [],
        message: `The schema failed: ${(cause as Error).message}.`,
      };
      faults.push(...issueFaults(issue, parsed, below));
    }
    return undefined;
  };
  const settings = check(Settings, plain, []);
  const each = (section: 'stages' | 'knobs', by: Readonly<Record<string, ZodType>>) =>
    Object.fromEntries(
      Object.entries(by).map(([name, schema]) => {
        const path = [section, name];
        return [name, check(schema, valueAt(tree, path) ?? {}, path)];
      }),
    );
  const stages = each('stages', stageOptions);
  const knobs = each('knobs', knobSchemas);
  faults.push(...pluginChecks(plain, plugins).map((finding) => findingFault(finding, parsed)));
  return { settings, stages, knobs, faults };
}

const nonEmpty = (text: string | undefined) => (text === '' ? undefined : text);
