import { readdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { SpillwayError } from '../errors/index.js';
import type { ConfigFault, Origin } from './faults.js';
import { nearest } from './nearest.js';
import { parseSource, readText, type Source } from './source.js';

/** The profile in force where nobody names one; it changes no default. */
export const DEFAULT_PROFILE = 'staged';

export interface Profile {
  readonly name: string;
  /** The first comment line of its file. */
  readonly description: string;
}

/** A source with the name its values carry as origin. */
export interface NamedSource extends Source {
  readonly origin: Origin;
}

/** The profiles in `configDir/profiles`, by name. None where the folder is missing. */
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
 * A profile and what it extends, lowest first. `profile` is a name, or a path (it holds a slash or ends in .yaml, .yml or
 * .json) taken from `from`. Throws `PROFILE_UNKNOWN` with the names there are.
 */
export async function profileSources(
  profile: string,
  configDir: string,
  from: string,
): Promise<NamedSource[]> {
  const chain: NamedSource[] = [];
  const seen = new Set<string>();
  let next: string | undefined = profile;
  let folder = from;
  while (next !== undefined) {
    const name: string = next;
    const path = isPath(name) ? resolve(folder, name) : join(configDir, 'profiles', `${name}.yaml`);
    const origin: Origin = `profile ${name}`;
    if (seen.has(path)) {
      chain.unshift({ tree: {}, origin, faults: [circle(name, chain[0]?.origin ?? origin)] });
      break;
    }
    seen.add(path);
    const text = await readText(path);
    // The default profile changes nothing, so a configuration folder of one's own need not hold it.
    if (text === undefined && name !== DEFAULT_PROFILE) throw await unknownProfile(name, configDir);
    const source = await parseSource(text ?? '', origin);
    chain.unshift({ ...source, origin });
    next = source.extends;
    folder = dirname(path);
  }
  return chain;
}

/** The shipped profile that a chain of sources builds on: whose document's names its settings may bear. */
export function familyOf(chain: readonly NamedSource[], known: readonly string[]): string | undefined {
  const names = chain.map(({ origin }) => origin.replace(/^profile /, ''));
  return names.findLast((name) => known.includes(name));
}

const isPath = (profile: string) => /[\\/]|\.(ya?ml|json)$/.test(profile);

async function profileNames(configDir: string): Promise<string[]> {
  const files = await readdir(join(configDir, 'profiles')).catch(() => []);
  return files.flatMap((file) => (file.endsWith('.yaml') ? [file.slice(0, -'.yaml'.length)] : [])).sort();
}

async function unknownProfile(name: string, configDir: string): Promise<SpillwayError> {
  const known = await profileNames(configDir);
  const meant = nearest(name, known);
  const remedy = meant ? `Did you mean ${meant}?` : 'Name one of these, or the path of a profile file.';
  const allowed = known.join(', ') || 'the path of a profile file';
  return new SpillwayError('PROFILE_UNKNOWN', {
    subject: 'profile',
    found: name,
    allowed,
    remedy,
    facts: { known },
  });
}

function circle(name: string, origin: Origin): ConfigFault {
  const remedy = 'Take out the extends that leads back.';
  return {
    subject: 'extends',
    found: name,
    allowed: 'a profile that does not build on this one',
    remedy,
    origin,
  };
}
