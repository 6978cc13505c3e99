import { createRequire } from 'node:module';
import { SpillwayError } from '../errors/index.js';

/** Packages that a store needs, and that only who wants such a store installs; as `npm install` takes them. */
const OPTIONAL: Readonly<Record<string, string>> = {
  libsql: 'libsql@0.5',
  pg: 'pg@8',
  'pg-boss': 'pg-boss@10',
};

/** As `import()` says it, and as `require()` does, which the bundled command line uses. */
const MISSING: ReadonlySet<unknown> = new Set(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND']);

/** The fault as `PACKAGE_MISSING` where it says that one of these packages is not there; undefined otherwise. */
export function missingPackage(error: unknown, wantedBy: string): SpillwayError | undefined {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  if (!MISSING.has(code)) return undefined;
  const name = /Cannot find (?:package|module) '([^']+)'/.exec(String(message))?.[1];
  const wanted = name === undefined || !Object.hasOwn(OPTIONAL, name) ? undefined : OPTIONAL[name];
  if (wanted === undefined) return undefined;
  return new SpillwayError('PACKAGE_MISSING', {
    subject: wantedBy,
    found: `no package ${name}`,
    remedy: `Install it where spillway is installed: npm install ${wanted}.`,
    cause: error,
  });
}

/** Throws `PACKAGE_MISSING` where the package cannot be found from here; loads nothing. */
export function requirePackage(name: string, wantedBy: string): void {
  try {
    createRequire(import.meta.url).resolve(name);
  } catch (error) {
    throw missingPackage(error, wantedBy) ?? error;
  }
}
