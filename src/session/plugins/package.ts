import { existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { z } from 'zod/v4';
import { firstLineOf, pluginError } from './guarded.js';

const Role = z.enum(['observer', 'compactor']);
const names = (what: string) => z.array(z.string().min(1)).default([]).describe(`Names of its ${what}.`);

/** Pattern of a plugin's name in settings and events. */
export const PLUGIN_NAME = /^[a-z][a-z0-9-]*$/;

/** The `spillway` field of a plugin's package.json: lists what its module provides, before any code of it runs. */
const Manifest = z
  .strictObject({
    name: z
      .string()
      .regex(PLUGIN_NAME, 'small letters, digits and -')
      .optional()
      .describe(
        "What settings and events call it; the package's own name where absent, @acme/memory as acme-memory.",
      ),
    module: z
      .string()
      .min(1)
      .optional()
      .describe("Its module, relative to package.json; the package's entry where absent."),
    role: z
      .union([Role, z.array(Role)], { error: 'observer, compactor, or a list of them' })
      .default([])
      .describe('observer, compactor, or both.'),
    stages: names('stages'),
    summarizers: names('summarizers'),
    counters: names('token counters'),
    formats: names('wire formats'),
    knobs: z.boolean().default(false).describe('Whether it has knobs.'),
  })
  .describe('What a plugin provides.');
export type Manifest = z.infer<typeof Manifest>;

/** A plugin in the settings: the name of a package or a path, relative to a folder. */
export interface NamedPlugin {
  readonly named: string;
  /** Folder that paths are relative to and that packages are searched from. */
  readonly from: string;
}

/** A package with a manifest; none of its code has run. */
export interface FoundPlugin {
  readonly name: string;
  readonly manifest: Manifest;
  /** Path of its module. */
  readonly file: string;
}

interface PackageJson {
  readonly name?: unknown;
  readonly exports?: unknown;
  readonly spillway?: unknown;
}

/** Finds a plugin's package like Node, and reads its manifest. Throws `PLUGIN_UNKNOWN` and `PLUGIN_INVALID`. */
export function findPlugin({ named, from }: NamedPlugin): FoundPlugin {
  const invalid = (found: unknown, remedy: string, allowed?: string, cause?: unknown): Error =>
    pluginError('PLUGIN_INVALID', { plugin: named, found, remedy, allowed, cause });
  const folder =
    /^\.{1,2}([\\/]|$)/.test(named) || isAbsolute(named) ? atPath(resolve(from, named)) : installed();
  const path = join(folder, 'package.json');
  if (!existsSync(path))
    throw invalid(`no package.json in ${folder}`, 'Put one with a "spillway" field next to the module.');
  const own = read();
  if (own.spillway === undefined)
    throw invalid(
      `no field spillway in ${path}`,
      'Write {"spillway": {"role": "observer"}} into its package.json, or whatever it is.',
      'a manifest: what it provides',
    );
  const { data: manifest, error } = Manifest.safeParse(own.spillway);
  if (error) {
    const allowed = z.prettifyError(error).replaceAll(/\n\s*/g, ' ');
    throw invalid(own.spillway, `Mend the "spillway" field of ${path}.`, allowed);
  }
  const name = manifest.name ?? shortName(own.name);
  if (name === '') throw invalid('no name', `Give ${path} a "name", or its "spillway" field one.`);
  return { name, manifest, file: entry(manifest) };

  function atPath(at: string): string {
    if (existsSync(at)) return statSync(at).isDirectory() ? at : dirname(at);
    const remedy = `There is nothing at ${at}. Name a folder with a package.json; a path is taken from the file that names it.`;
    throw pluginError('PLUGIN_UNKNOWN', { plugin: named, remedy });
  }

  function installed(): string {
    const { paths } = createRequire(resolve(from, 'here.js')).resolve;
    const folders = (paths(named) ?? []).map((one) => join(one, named));
    const found = folders.find((one) => existsSync(join(one, 'package.json')));
    if (found !== undefined) return found;
    const remedy = `There is no package of that name in ${resolve(from)} or above. Install it (npm install ${named}); a local one is named by its path, ./${named}.`;
    throw pluginError('PLUGIN_UNKNOWN', { plugin: named, remedy });
  }

  function read(): PackageJson {
    try {
      return Object(JSON.parse(readFileSync(path, 'utf8'))) as PackageJson;
    } catch (cause) {
      throw invalid(`${path}: ${firstLineOf(cause)}`, 'Mend it.', 'a package.json', cause);
    }
  }

  function entry({ module }: Manifest): string {
    if (module !== undefined && relative(folder, resolve(folder, module)).startsWith('..'))
      throw invalid(`module ${module}`, 'Name a file of the package.', `a file in ${folder}`);
    try {
      return createRequire(path).resolve(resolve(folder, module ?? exported(own.exports) ?? '.'));
    } catch (cause) {
      const found = `no entry in ${folder}: ${firstLineOf(cause)}`;
      throw invalid(
        found,
        'Name its module as "spillway": {"module": "./index.js"}, or build it.',
        undefined,
        cause,
      );
    }
  }
}

/** A package's name in the form for settings: `@acme/memory` becomes `acme-memory`. */
const shortName = (name: unknown): string =>
  (typeof name === 'string' ? name : '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^[^a-z]+|-$/g, '');

/** The entry for `import` in `exports`. `require.resolve` ignores it, but an ES module may have no other entry. */
function exported(exports: unknown): string | undefined {
  if (typeof exports === 'string') return exports;
  const by = Object(exports) as Readonly<Record<string, unknown>>;
  const conditions = ['.', 'node', 'import', 'default', 'require'];
  return conditions.map((one) => by[one] && exported(by[one])).find((one) => typeof one === 'string');
}

/** The folder of the package that contains a path, if that package is a plugin; otherwise undefined. */
export function pluginFolder(path: string): string | undefined {
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    const file = join(folder, 'package.json');
    if (existsSync(file)) return hasManifest(file) ? folder : undefined;
    if (dirname(folder) === folder) return undefined;
  }
}

function hasManifest(file: string): boolean {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as PackageJson | null)?.spillway !== undefined;
  } catch {
    return false;
  }
}
