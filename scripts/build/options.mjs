// Options of the bundle.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const dist = join(root, 'dist');
export const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Packages that a user installs, always or for an optional feature; all others go into the bundle. */
export const shared = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });

/** prom-client requires the OpenTelemetry API for exemplars, which are off: the service starts without that package. */
const metricsWithoutTracing = {
  name: 'metrics-without-tracing',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^@opentelemetry\/api$/ }, ({ importer }) =>
      /[\\/]prom-client[\\/]/.test(importer) ? { path: 'none', namespace: 'no-tracing' } : undefined,
    );
    onLoad({ filter: /./, namespace: 'no-tracing' }, () => ({ contents: 'module.exports = {};' }));
  },
};

export const commonPlugins = [metricsWithoutTracing];

/** @type {import('esbuild').BuildOptions} */
export const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20',
  // esbuild believes that \p{...} needs a newer Node than 20, and would write `new RegExp(...)`, compiled at each use.
  supported: { 'regexp-unicode-property-escapes': true },
  legalComments: 'none', // legal comments are in THIRD-PARTY-LICENSES.txt
  metafile: true,
  logLevel: 'warning',
};
