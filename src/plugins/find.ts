import { existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { z } from 'zod/v4';
import { pluginError, wordsOf } from './faults.js';
import { Manifest } from './manifest.js';

/** A plugin as the settings name it: a package, or a path, from a folder. */
export interface NamedPlugin {
  readonly named: string;
  /** Folder that paths are taken from, and packages looked for. */
  readonly from: string;
}

/** A package with a manifest; none of its code was run. */
export interface FoundPlugin {
  readonly name: string;
  readonly manifest: Manifest;
  /** File of its module. */
  readonly file: string;
}

/** A path starts with a dot or a slash, or with a drive; anything else is the name of a package. */
const isPath = (named: string): boolean => /^\.{1,2}([\\/]|$)/.test(named) || isAbsolute(named);

/** Finds a plugin's package and reads its manifest. Throws `PLUGIN_UNKNOWN`, `PLUGIN_INVALID`. */
export function findPlugin({ named, from }: NamedPlugin): FoundPlugin {
  const folder = isPath(named) ? folderOf(resolve(from, named), named) : packageFolder(named, from);
  const path = join(folder, 'package.json');
  const own = parsed(path, named);
  const field = own['spillway'];
  if (field === undefined)
    throw pluginError('PLUGIN_INVALID', {
      plugin: named,
      found: `no field spillway in ${path}`,
      allowed: 'a manifest: what it provides',
      remedy: 'Write {"spillway": {"role": "observer"}} into its package.json, or whatever it is.',
    });
  const manifest = Manifest.safeParse(field);
  if (!manifest.success)
    throw pluginError('PLUGIN_INVALID', {
      plugin: named,
      found: field,
      allowed: z.prettifyError(manifest.error).replaceAll(/\n\s*/g, ' '),
      remedy: `Mend the "spillway" field of ${path}.`,
    });
  const name = manifest.data.name ?? shortName(own['name']);
  if (name === '')
    throw pluginError('PLUGIN_INVALID', {
      plugin: named,
      found: 'no name',
      remedy: `Give ${path} a "name", or its "spillway" field one.`,
    });
  return { name, manifest: manifest.data, file: moduleOf(folder, named, manifest.data) };
}

/** A package's name as settings can have it: `@acme/memory` is `acme-memory`. */
function shortName(name: unknown): string {
  if (typeof name !== 'string') return '';
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^[^a-z]+|-$/g, '');
}

/** The folder of a package.json at a path: the path itself, or the nearest above a file. */
function folderOf(path: string, named: string): string {
  if (!existsSync(path))
    throw pluginError('PLUGIN_UNKNOWN', {
      plugin: named,
      found: `nothing at ${path}`,
      remedy: 'Name a folder with a package.json; a path is taken from the file that names it.',
    });
  let folder = statSync(path).isDirectory() ? path : dirname(path);
  while (!existsSync(join(folder, 'package.json'))) {
    const above = dirname(folder);
    if (above === folder)
      throw pluginError('PLUGIN_INVALID', {
        plugin: named,
        found: `no package.json at ${path} or above`,
        remedy: 'Put a package.json with a "spillway" field beside the module.',
      });
    folder = above;
  }
  return folder;
}

/** Where a package is installed, whatever its exports are. */
function packageFolder(named: string, from: string): string {
  const require = createRequire(resolve(from, 'here.js'));
  const folders = (require.resolve.paths(named) ?? []).map((folder) => join(folder, named));
  const found = folders.find((folder) => existsSync(join(folder, 'package.json')));
  if (found !== undefined) return found;
  throw pluginError('PLUGIN_UNKNOWN', {
    plugin: named,
    found: `no package of that name in ${resolve(from)} or above`,
    remedy: `Install it (npm install ${named}); a local one is named by its path, ./${named}.`,
  });
}

function parsed(path: string, named: string): Readonly<Record<string, unknown>> {
  try {
    const own: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof own === 'object' && own !== null) return own as Readonly<Record<string, unknown>>;
    throw new TypeError('no mapping');
  } catch (cause) {
    throw pluginError('PLUGIN_INVALID', {
      plugin: named,
      found: `${path}: ${wordsOf(cause)}`,
      allowed: 'a package.json',
      remedy: 'Mend it.',
      cause,
    });
  }
}

function moduleOf(folder: string, named: string, { module }: Manifest): string {
  if (module !== undefined) {
    const file = resolve(folder, module);
    if (existsSync(file)) return file;
    throw pluginError('PLUGIN_INVALID', {
      plugin: named,
      found: `no module at ${file}`,
      remedy: 'Build it, or name its file as "spillway": {"module": …}.',
    });
  }
  try {
    return entryOf(folder);
  } catch (cause) {
    throw pluginError('PLUGIN_INVALID', {
      plugin: named,
      found: `no entry in ${folder}: ${wordsOf(cause)}`,
      remedy: 'Name its module as "spillway": {"module": "./index.js"}, or build it.',
      cause,
    });
  }
}

/** What `import` of the package would load: its exports, else its main file. */
function entryOf(folder: string): string {
  const own = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly exports?: unknown;
    readonly main?: unknown;
  };
  const named = exported(own.exports) ?? (typeof own.main === 'string' ? own.main : './index.js');
  const file = resolve(folder, named);
  if (!existsSync(file) || statSync(file).isDirectory()) throw new Error(`${named} is no file`);
  return file;
}

/** The door of a package: a text, or what is said for `.`, under the conditions that Node has for `import`. */
function exported(exports: unknown): string | undefined {
  if (typeof exports === 'string') return exports;
  if (typeof exports !== 'object' || exports === null) return undefined;
  const by = exports as Readonly<Record<string, unknown>>;
  for (const condition of ['.', 'node', 'import', 'default', 'require']) {
    const found = exported(by[condition]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The folder of the package that a path lies in, where that package is a plugin. */
export function pluginFolder(path: string): string | undefined {
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    const file = join(folder, 'package.json');
    if (existsSync(file)) return hasManifest(file) ? folder : undefined;
    if (dirname(folder) === folder) return undefined;
  }
}

function hasManifest(file: string): boolean {
  try {
    const own = JSON.parse(readFileSync(file, 'utf8')) as { readonly spillway?: unknown } | null;
    return own?.spillway !== undefined;
  } catch {
    return false;
  }
}
