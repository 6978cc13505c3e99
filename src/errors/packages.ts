import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { SpillwayError, thrownText } from './error.js';

/**
 * Optional packages, which only users of their features install, and the versions that are known to work. They are no
 * peer dependencies, because npm would refuse an install next to another version even if the feature is not used.
 */
const VERSIONS: Readonly<Record<string, readonly string[]>> = {
  '@ai-sdk/anthropic': ['3', '4'],
  '@ai-sdk/openai': ['3', '4'],
  '@ai-sdk/openai-compatible': ['2', '3'],
  '@langchain/core': ['1'],
  '@modelcontextprotocol/sdk': ['1.20'],
  '@opentelemetry/api': ['1.9'],
  ai: ['6', '7'],
  fastify: ['5'],
  libsql: ['0.5'],
  pg: ['8.11'],
  'pg-boss': ['10'],
};

const MISSING: ReadonlySet<unknown> = new Set(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND']);

/** Whether a module is missing, by the error of `import()` or of `require()`, which the bundled command line uses. */
export const isMissing = (error: unknown): boolean =>
  MISSING.has((error as { readonly code?: unknown }).code);

/** The error as `PACKAGE_MISSING` if one of these packages is missing; otherwise undefined. */
export function missingPackage(error: unknown, wantedBy: string): SpillwayError | undefined {
  if (!isMissing(error)) return undefined;
  const name = /Cannot find (?:package|module) '([^']+)'/.exec(thrownText(error))?.[1];
  const known = Object.keys(VERSIONS).find((one) => name === one || name?.startsWith(`${one}/`));
  if (known === undefined) return undefined;
  return new SpillwayError('PACKAGE_MISSING', {
    subject: wantedBy,
    found: `no package ${known}`,
    remedy: `Install it where spillway is installed: npm install ${newestOf(known, VERSIONS[known]![0]!)}.`,
    cause: error,
  });
}

/** For `import(name).catch(…)`, which bundlers accept for an optional package. Rejects with `PACKAGE_MISSING`. */
export const orMissing =
  (wantedBy: string) =>
  (error: unknown): never => {
    throw missingPackage(error, wantedBy) ?? error;
  };

/** Throws `PACKAGE_MISSING` if a package cannot be found, `PACKAGE_VERSION` if its version is wrong; loads nothing. */
export function requirePackage(name: string, wantedBy: string): void {
  checkVersion(name, wantedBy);
  try {
    createRequire(import.meta.url).resolve(name);
  } catch (error) {
    throw missingPackage(error, wantedBy) ?? error;
  }
}

/** Throws `PACKAGE_VERSION` if an installed package has a wrong version. Its import reports a missing package. */
export function checkVersion(name: string, wantedBy: string): void {
  const version = versionOf(name);
  const allowed = VERSIONS[name] ?? [];
  if (version === undefined || allowed.length === 0 || allowed.some((one) => isCompatible(version, one)))
    return;
  throw new SpillwayError('PACKAGE_VERSION', {
    subject: wantedBy,
    found: `${name} ${version}`,
    allowed: allowed.map((one) => `${name} ^${one}`).join(', '),
    remedy: `Install it where spillway is installed: npm install ${newestOf(name, allowed[0]!)}.`,
  });
}

/** As npm takes it: `pg@8` for 8.11 and newer, `libsql@0.5` for that line alone. */
const newestOf = (name: string, least: string): string => `${name}@${least.replace(/^([1-9]\d*)\..*/, '$1')}`;

function versionOf(name: string): string | undefined {
  const { paths } = createRequire(import.meta.url).resolve;
  const file = paths(name)
    ?.map((folder) => join(folder, name, 'package.json'))
    .find((one) => existsSync(one));
  return file && (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

/** Compatible as in `^allowed`: a breaking change raises the major version, or the minor version if the major is 0. */
function isCompatible(version: string, allowed: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [wanted = 0, least = 0] = allowed.split('.').map(Number);
  return major === wanted && (wanted === 0 ? minor === least : minor >= least);
}
