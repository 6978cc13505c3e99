import { basename, resolve } from 'node:path';
import { findPlugin } from '../session/plugins/index.js';
import type { CompactionStage, SessionStore, Summarizer, WireFormat } from '../spi/index.js';
import { FORMAT_RULES } from './formats/index.js';
import { loadPlugin, PLUGIN_RULES, type PluginSubject } from './plugin-rules.js';
import type { ContractRule } from './rule.js';
import { STAGE_RULES } from './stages/rules.js';
import { STORE_RULES } from './stores/index.js';
import { SUMMARIZER_RULES } from './summarizer-rules.js';
import { importModule } from '../user-module.js';
import { validators, type WireValidator } from './validators.js';

/** Declarations of a module in addition to its parts, as its export `conform`. */
export interface ConformSettings {
  /** Options to try with a stage in addition to its defaults, by stage name. */
  readonly options?: Readonly<Record<string, readonly unknown[]>>;
  /** The provider's rules for a format without a validator here, by format name. */
  readonly validators?: Readonly<Record<string, WireValidator>>;
  /** Bodies in a format's own wire that contain signed thinking, by format name. */
  readonly samples?: Readonly<Record<string, readonly unknown[]>>;
  /** Knobs to try with a plugin in place of its defaults, by plugin name: where it writes, what turns it on. */
  readonly knobs?: Readonly<Record<string, readonly unknown[]>>;
  /** False for a store that ends with the process that opened it: the rules of reopening are waived. */
  readonly reopens?: boolean;
}

/** One part of a module, with the rules of its contract. */
export interface Candidate {
  readonly kind: ContractKind;
  /** The name of the module's export. */
  readonly exportedAs: string;
  readonly name: string;
  readonly rules: readonly Waivable[];
}

/** A rule that is bound to its subject. */
export interface Waivable extends ContractRule<void> {
  /** The reason why the rule is not checked, if the module has declared so. */
  readonly waived?: string;
}

/** The kinds of parts that can be judged. */
export type ContractKind = 'stage' | 'plugin' | 'format' | 'summarizer' | 'store';

/** A contract in its printed form. */
export interface ListedContract {
  readonly kind: ContractKind;
  readonly about: string;
  readonly rules: readonly { readonly id: string; readonly intent: string }[];
}

/** Every contract with its rules: the source of CONTRACT.md. */
export const CONTRACTS: readonly ListedContract[] = [
  {
    kind: 'stage',
    about:
      'A `CompactionStage`: any export with a `plan`. The pipeline refuses each edit that breaks 05 to 12; the rules tell you beforehand.',
    rules: STAGE_RULES,
  },
  {
    kind: 'plugin',
    about:
      'A plugin: a folder whose package.json has a `spillway` field, or the export `plugin` of a module. The stages, formats and summarizers that it adds are tested by their own contracts.',
    rules: PLUGIN_RULES,
  },
  {
    kind: 'format',
    about:
      'A `WireFormat`: any export with `parse` and `serialise`. The validator with the name of the format judges its requests.',
    rules: FORMAT_RULES,
  },
  {
    kind: 'summarizer',
    about: 'A `Summarizer`: any export with `summarize`. The rules call it for real.',
    rules: SUMMARIZER_RULES,
  },
  {
    kind: 'store',
    about:
      'A `SessionStore`: the export `openStore(name)`, which opens the store of that name: empty the first time, the same store each later time. Each rule gets a name of its own.',
    rules: STORE_RULES,
  },
];

type Loose = Readonly<Record<string, unknown>>;

/** The parts of a module that can be judged, in the order of its exports. Classes are constructed without arguments. */
export function candidatesIn(module: Readonly<Record<string, unknown>>): Candidate[] {
  const settings = (module.conform ?? {}) as ConformSettings;
  const seen = new Set<unknown>();
  return Object.entries(module).flatMap(([exportedAs, exported]) => {
    if (exportedAs === 'conform' || seen.has(exported)) return [];
    seen.add(exported);
    if (exportedAs === 'openStore' && typeof exported === 'function')
      return [storeCandidate(exported as (name: string) => Promise<SessionStore>, settings)];
    const parts = [exported].flat().flatMap((one) => candidateOf(exportedAs, instance(one), settings) ?? []);
    if (parts.length > 0 || !isPlugin(exportedAs, exported)) return parts;
    const { name = exportedAs } = exported as { readonly name?: string };
    const knobs = settings.knobs?.[name];
    return [pluginCandidate(exportedAs, name, { plugin: exported, name, ...(knobs && { knobs }) })];
  });
}

/**
 * A package that is a plugin, with its parts and all other exports of its module. If the package cannot be loaded, its
 * rules report this.
 */
export async function pluginCandidates(folder: string): Promise<Candidate[]> {
  const { name, module, added } = await loadModule(folder);
  const settings = (module.conform ?? {}) as ConformSettings;
  const subject: PluginSubject = { folder, ...(settings.knobs?.[name] && { knobs: settings.knobs[name] }) };
  const others = candidatesIn(module).filter(({ kind }) => kind !== 'plugin');
  const parts = added.flatMap((part) => candidateOf('plugin', part, settings) ?? []);
  const isNew = (part: Candidate): boolean =>
    !others.some((other) => other.kind === part.kind && other.name === part.name);
  return [pluginCandidate('plugin', name, subject), ...others, ...parts.filter(isNew)];
}

async function loadModule(folder: string) {
  try {
    const { name, stages = [], formats = [], summarizers = [] } = await loadPlugin({ folder });
    const { file } = findPlugin({ named: resolve(folder), from: '.' });
    return { name, module: await importModule(file), added: [...stages, ...formats, ...summarizers] };
  } catch {
    return { name: basename(resolve(folder)), module: {}, added: [] };
  }
}

const pluginCandidate = (exportedAs: string, name: string, subject: PluginSubject): Candidate => ({
  kind: 'plugin',
  exportedAs,
  name,
  rules: bindRules(PLUGIN_RULES, subject),
});

/** Fields that only plugins have; the export `plugin` may be a function that makes a plugin. */
const PLUGIN_FIELDS = ['observer', 'compactor', 'stages', 'summarizers', 'counters', 'formats'];

function isPlugin(exportedAs: string, value: unknown): boolean {
  if (typeof value === 'function') return exportedAs === 'plugin';
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return PLUGIN_FIELDS.some((field) => (value as Loose)[field] !== undefined);
}

function candidateOf(exportedAs: string, value: unknown, settings: ConformSettings): Candidate | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { name = exportedAs, plan, parse, serialise, summarize } = value as Loose;
  const about = { exportedAs, name: String(name) };
  if (typeof plan === 'function') {
    const subject = { stage: value as CompactionStage, options: settings.options?.[about.name] ?? [] };
    return { kind: 'stage', ...about, rules: bindRules(STAGE_RULES, subject) };
  }
  if (typeof parse === 'function' && typeof serialise === 'function') {
    const validate = settings.validators?.[about.name] ?? validators.get(about.name);
    const samples = settings.samples?.[about.name];
    const subject = {
      format: value as WireFormat,
      ...(validate && { validate }),
      ...(samples && { samples }),
    };
    const waived: Readonly<Record<string, string | false>> = {
      'FORMAT-03': !validate && `no validator is known for ${about.name}; export conform.validators`,
      'FORMAT-13': !samples && `no body of ${about.name} is known; export conform.samples`,
    };
    const rules = bindRules(FORMAT_RULES, subject).map((rule) => {
      const why = waived[rule.id];
      return why ? { ...rule, waived: why } : rule;
    });
    return { kind: 'format', ...about, rules };
  }
  if (typeof summarize !== 'function') return undefined;
  return { kind: 'summarizer', ...about, rules: bindRules(SUMMARIZER_RULES, value as Summarizer) };
}

let stores = 0;

function storeCandidate(
  openStore: (name: string) => Promise<SessionStore>,
  settings: ConformSettings,
): Candidate {
  const run = `conform-${process.pid}-${Date.now()}-${stores++}`;
  const rules = STORE_RULES.map(({ id, intent, check, reopens }): Waivable => {
    const waived =
      reopens && settings.reopens === false
        ? 'the module says that its store does not outlive its process'
        : undefined;
    const judge = async (): Promise<void> => {
      const opened: SessionStore[] = [];
      try {
        await check(async () => {
          const store = await openStore(`${run}-${id}`);
          opened.push(store);
          return store;
        });
      } finally {
        for (const store of opened) await store.close().catch(() => undefined);
      }
    };
    return { id, intent, check: judge, ...(waived !== undefined && { waived }) };
  });
  return { kind: 'store', exportedAs: 'openStore', name: 'openStore', rules };
}

function bindRules<Subject>(rules: readonly ContractRule<Subject>[], subject: Subject): Waivable[] {
  return rules.map(({ id, intent, check }) => ({ id, intent, check: () => check(subject) }));
}

/** An instance of a contract's class, made without arguments; undefined for other functions; other values unchanged. */
function instance(value: unknown): unknown {
  if (typeof value !== 'function') return value;
  const { prototype } = value as { readonly prototype?: Loose };
  const isOurs =
    prototype && ['plan', 'summarize', 'serialise'].some((method) => typeof prototype[method] === 'function');
  return isOurs ? new (value as new () => unknown)() : undefined;
}
