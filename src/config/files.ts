import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { SpillwayError } from '../errors/index.js';
import { changeIn, nearest, type ConfigFault, type Origin } from './faults.js';
import { isMapping } from './path.js';

/** A source of settings as a tree, with the origin of its values. */
export interface Source {
  readonly tree: unknown;
  readonly origin: Origin;
  readonly faults: readonly ConfigFault[];
  /** The folder of its file. */
  readonly folder?: string;
  /** The profile that it extends. */
  readonly extends?: string;
}

/** Reads a file; undefined if it does not exist. Throws `INPUT_UNREADABLE` if it exists but cannot be read. */
export async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    const remedy = 'Name a configuration file that this user may read.';
    throw new SpillwayError('INPUT_UNREADABLE', { subject: path, found: code, remedy, cause });
  }
}

/** An operator's file. Rejects with `INPUT_UNREADABLE` if it does not exist. */
export async function fileSource(file: string): Promise<Source> {
  const text = await readText(file);
  if (text !== undefined) return withBase(await parseSource(text, `file ${file}`), dirname(file));
  const remedy = 'Name a configuration file that exists.';
  throw new SpillwayError('INPUT_UNREADABLE', { subject: file, found: 'no such file', remedy });
}

/** YAML (JSON is part of it) as a tree. Every syntax error is a fault with line and column. */
export async function parseSource(text: string, origin: Origin): Promise<Source> {
  // A profile with only comments, such as `staged`, avoids the 35 ms for loading the YAML parser.
  if (text.split('\n').every((line) => /^\s*(?:#|$)/.test(line))) return { tree: {}, origin, faults: [] };
  const { parseDocument, LineCounter } = await import('./yaml.js');
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  const file = origin.replace(/^\S+ /, '');
  const wrong = (at: string, found: string): ConfigFault => {
    const remedy = 'Mend the file at this place.';
    return { subject: `${file}${at}`, found, allowed: 'YAML', remedy, origin };
  };
  const faults = [...document.errors, ...document.warnings].map(({ pos, message }) => {
    const { line, col } = lineCounter.linePos(pos[0]);
    return wrong(`:${line}:${col}`, message);
  });
  if (faults.length > 0) return { tree: {}, origin, faults };
  try {
    return { tree: document.toJS() ?? {}, origin, faults };
  } catch (error) {
    // Aliases that expand to more than a hundred copies of a node.
    return { tree: {}, origin, faults: [wrong('', (error as Error).message)] };
  }
}

/** The content of a file in a folder, and the profile it extends. */
function withBase(source: Source, folder: string): Source {
  const { tree: whole, origin } = source;
  if (!isMapping(whole) || !Object.hasOwn(whole, 'extends')) return { ...source, folder };
  const { extends: base, ...tree } = whole;
  if (typeof base === 'string' && base !== '') return { ...source, tree, folder, extends: base };
  const allowed = 'the name of a profile, or the path of one from this file';
  const fault = { subject: 'extends', found: base, allowed, remedy: changeIn(origin), origin };
  return { ...source, tree, folder, faults: [fault] };
}

/** The text between two lines of three dashes, at the very beginning. */
const FRONTMATTER = /^\uFEFF?---[^\S\n]*\n([^]*?)\n---[^\S\n]*(?:\n|$)/;

/** The YAML at the head of a Markdown file; empty if the file has none. */
export const frontmatterOf = (text: string, origin: Origin): Promise<Source> =>
  parseSource(FRONTMATTER.exec(text.replaceAll('\r\n', '\n'))?.[1] ?? '', origin);

/** The default profile; it changes no setting. */
export const DEFAULT_PROFILE = 'staged';

export interface Profile {
  readonly name: string;
  /** The first comment line of its file. */
  readonly description: string;
}

/** The profiles in `configDir/profiles`, by name. Empty if the folder is missing. */
export async function listProfiles(configDir: string): Promise<Profile[]> {
  const names = await profileNames(configDir);
  return Promise.all(
    names.map(async (name) => {
      const text = (await readText(join(configDir, 'profiles', `${name}.yaml`))) ?? '';
      return { name, description: /^#[^\S\n]*(\S.*)$/m.exec(text)?.[1]?.trim() ?? '' };
    }),
  );
}

/**
 * A profile and the profiles it extends, lowest first. `profile` is a name, or a path (with a slash or the ending
 * .yaml, .yml or .json) relative to `from`. Throws `PROFILE_UNKNOWN` with the known names.
 */
export async function profileSources(profile: string, configDir: string, from: string): Promise<Source[]> {
  const chain: Source[] = [];
  const seen = new Set<string>();
  let next: string | undefined = profile;
  let folder = from;
  while (next !== undefined) {
    const name: string = next;
    const isPath = /[\\/]|\.(ya?ml|json)$/.test(name);
    const path = isPath ? resolve(folder, name) : join(configDir, 'profiles', `${name}.yaml`);
    const origin: Origin = `profile ${name}`;
    if (seen.has(path)) {
      const allowed = 'a profile that does not build on this one';
      const remedy = 'Take out the extends that leads back.';
      const circle = { subject: 'extends', found: name, allowed, remedy, origin: chain[0]!.origin };
      return [{ tree: {}, origin, faults: [circle] }, ...chain];
    }
    seen.add(path);
    const text = await readText(path);
    // The default profile changes nothing, so an operator's own configuration folder may omit it.
    if (text === undefined && name !== DEFAULT_PROFILE) throw await unknownProfile(name, configDir);
    folder = dirname(path);
    const source = withBase(await parseSource(text ?? '', origin), folder);
    chain.unshift(source);
    next = source.extends;
  }
  return chain;
}

async function profileNames(configDir: string): Promise<string[]> {
  const files = await readdir(join(configDir, 'profiles')).catch(() => []);
  return files.flatMap((file) => (file.endsWith('.yaml') ? [file.slice(0, -'.yaml'.length)] : [])).sort();
}

async function unknownProfile(found: string, configDir: string): Promise<SpillwayError> {
  const known = await profileNames(configDir);
  const meant = nearest(found, known);
  const remedy = meant ? `Did you mean ${meant}?` : 'Name one of these, or the path of a profile file.';
  const allowed = known.join(', ') || 'the path of a profile file';
  return new SpillwayError('PROFILE_UNKNOWN', {
    subject: 'profile',
    found,
    allowed,
    remedy,
    facts: { known },
  });
}
