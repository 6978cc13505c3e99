// Bundles the library and the command line: a file for each entry point and for the command, and shared chunks, so that
// a class or a map exists once and nothing is packed twice: docs/decisions/0023-one-package.md, 0004-start-up.md.
import { chmodSync, copyFileSync, cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { common, commonPlugins, dist, manifest, root, shared } from './options.mjs';
import { browserSources, platform, storeSources } from './platform.mjs';
import { fromFiles } from './vocabulary.mjs';

/** The source of each entry point of the package. Its declarations have the same path in dist as the source in src. */
export const doors = Object.values(manifest.exports).flatMap((target) =>
  typeof target === 'string' ? [] : target.types.replace('./dist/', 'src/').replace(/\.d\.ts$/, '.ts'),
);

/** The files of rxjs that we use: its main file would load all 200 others. The classes in them are the same. */
const RXJS = {
  Observable: 'rxjs/internal/Observable',
  Subject: 'rxjs/internal/Subject',
  Subscriber: 'rxjs/internal/Subscriber',
  mergeMap: 'rxjs/internal/operators/mergeMap',
  distinctUntilChanged: 'rxjs/internal/operators/distinctUntilChanged',
  filter: 'rxjs/internal/operators/filter',
  map: 'rxjs/internal/operators/map',
  scan: 'rxjs/internal/operators/scan',
  share: 'rxjs/internal/operators/share',
  skip: 'rxjs/internal/operators/skip',
  startWith: 'rxjs/internal/operators/startWith',
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

/** The path of a source in dist, without its extension. Faces keep the paths by which users import files. */
const placeOf = (file) =>
  file.replace(/^src\/(?:faces\/(?=adapters|importers|server))?/, '').replace(/\.ts$/, '');

/** Returns the inputs, as esbuild reports them. */
export async function buildLibrary() {
  rmSync(join(dist, 'chunks'), { recursive: true, force: true });
  const { metafile } = await build({
    ...common,
    entryPoints: [
      ...[...doors, ...browserSources, ...storeSources].map((file) => ({ in: file, out: placeOf(file) })),
      { in: 'src/faces/cli/main.ts', out: 'cli/main' },
    ],
    outdir: dist,
    format: 'esm',
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    minifySyntax: true,
    minifyWhitespace: true, // names are kept, so that a stack trace can be read
    lineLimit: 200, // Node prints the line that threw, which must not be a whole chunk
    external: [...shared, 'rxjs/*'],
    inject: [join(root, 'scripts', 'build', 'globals.mjs')],
    plugins: [...commonPlugins, fromFiles, rxjsByFile, platform],
  });
  const launcher = join(dist, 'cli', 'spillway.js');
  copyFileSync(new URL('launcher.mjs', import.meta.url), launcher);
  chmodSync(launcher, 0o755);
  copyFileSync(
    join(root, 'src', 'faces', 'cli', 'bench', 'peer-host.mjs'),
    join(dist, 'cli', 'peer-host.mjs'),
  );
  for (const file of ['uPlot.iife.min.js', 'uPlot.min.css'])
    cpSync(join(root, 'node_modules', 'uplot', 'dist', file), join(dist, 'cli', 'uplot', file));
  copyFileSync(join(root, 'src', 'import-module.cjs'), join(dist, 'import-module.cjs'));
  return metafile;
}
