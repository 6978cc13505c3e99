// Bundles the library: a file for each door, and chunks that all doors share, so that a class or a map is one everywhere.
// From single files `import 'spillway'` takes three times as long: docs/decisions/0023-one-package.md.
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';
import { common, commonPlugins, dist, manifest, root, shared } from './options.mjs';
import { fromTextFile } from './vocabulary.mjs';

/** Source of each door of the package, as tsc and this bundle place it in dist. */
export const doors = Object.values(manifest.exports).flatMap((target) =>
  typeof target === 'string' ? [] : target.default.replace('./dist/', 'src/').replace(/\.js$/, '.ts'),
);

/** Where rxjs has what we use: its main file would load all 200 others. These are the same files, so the same classes. */
const RXJS = {
  Observable: 'rxjs/internal/Observable',
  Subject: 'rxjs/internal/Subject',
  Subscriber: 'rxjs/internal/Subscriber',
  concatMap: 'rxjs/internal/operators/concatMap',
  filter: 'rxjs/internal/operators/filter',
  map: 'rxjs/internal/operators/map',
};

const rxjsByFile = {
  name: 'rxjs-by-file',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^rxjs$/ }, () => ({ path: 'rxjs', namespace: 'rxjs-by-file', sideEffects: false }));
    onLoad({ filter: /./, namespace: 'rxjs-by-file' }, () => ({
      contents: Object.entries(RXJS)
        .map(([name, file]) => `export { ${name} } from '${file}';`)
        .join('\n'),
      resolveDir: root,
    }));
  },
};

/** CommonJS packages `require` what is built into Node; an ES module has no `require`, and a bundler of users none to offer. */
const builtins = {
  name: 'builtins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(?:node:)?[a-z_]+(?:\/[a-z]+)?$/ }, ({ kind, path }) =>
      kind === 'require-call' && isBuiltin(path)
        ? { path: path.replace(/^node:/, ''), namespace: 'builtin' }
        : undefined,
    );
    onLoad({ filter: /./, namespace: 'builtin' }, ({ path }) => ({
      // Not by import: esbuild hands a CommonJS package the module's namespace then, and `events` has no class in it.
      contents: `module.exports = process.getBuiltinModule('node:${path}');`,
    }));
  },
};

/** Returns what went in, as esbuild tells it. */
export async function buildLibrary() {
  const { metafile } = await build({
    ...common,
    entryPoints: doors,
    outbase: join(root, 'src'),
    outdir: dist,
    format: 'esm',
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    external: [...shared, 'rxjs/*'],
    plugins: [...commonPlugins, fromTextFile('import.meta.url'), rxjsByFile, builtins],
  });
  return metafile;
}
