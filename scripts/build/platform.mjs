// One library for Node and for browsers. What it takes of Node it imports by the names under `imports` in package.json: Node
// finds its own there, a bundler for browsers what stands in its place, which is in src/faces/browser: docs/decisions/0071-one-library-for-browsers.md.
import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';
import { common, dist, manifest, root } from './options.mjs';

const NAMES = new Set(Object.keys(manifest.imports).map((name) => name.slice(1)));
const FOLDER = join(root, 'src', 'faces', 'browser');
const external = (name) => ({ path: `#${name}`, external: true, sideEffects: false });
/** These speak in our own errors, so they are built with the library. */
const OWN = ['store.ts', 'vocabulary.ts'];
/** The build fills these; they are in others. */
const FILLED = ['files.ts', 'odd-tokens.ts'];
export const browserSources = OWN.map((file) => `src/faces/browser/${file}`);

/** Stores that need a disk or a server are reached by a name too, so that no browser loads their drivers. */
export const storeSources = ['src/stores/sqlite/index.ts', 'src/stores/postgres/index.ts'];

export const platform = {
  name: 'platform',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ kind, path }) =>
      kind !== 'require-call' && NAMES.has(path.slice(5)) ? external(path.slice(5)) : undefined,
    );
    onResolve({ filter: /^#/ }, ({ path }) => external(path.slice(1)));
    onResolve({ filter: /^\.\/(?:sqlite|postgres)\/index\.js$/ }, ({ path, kind }) =>
      kind === 'dynamic-import' ? external(path.split('/')[1]) : undefined,
    );
    // CommonJS packages `require` what is built into Node; an ES module has no `require`, and a bundler of users none to offer.
    onResolve({ filter: /^(?:node:)?\w+(?:\/\w+)?$/ }, ({ kind, path }) =>
      kind === 'require-call' && isBuiltin(path)
        ? { path: path.replace(/^node:/, ''), namespace: 'required' }
        : undefined,
    );
    onLoad({ filter: /./, namespace: 'required' }, ({ path }) => ({
      // Of those that both have, the default; `events` is a class that has itself as a field.
      contents: NAMES.has(path)
        ? `module.exports = require('as-module:${path}').default;`
        : `module.exports = process.getBuiltinModule('node:${path}');`,
    }));
    onResolve({ filter: /^as-module:/ }, ({ path }) => ({ path: path.slice(10), namespace: 'as-module' }));
    onLoad({ filter: /./, namespace: 'as-module' }, ({ path }) => ({
      contents: `export { default } from '#${path}';`,
    }));
  },
};

const withFiles = {
  name: 'with-files',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]faces[\\/]browser[\\/]files\.ts$/ }, () => ({
      contents: `export const FILES = ${JSON.stringify(filesOf('config'))};`,
    }));
  },
};

/** What stands in Node's place, with the packages that it is made of. Returns what went in. */
export async function buildBrowser() {
  const sources = readdirSync(FOLDER).filter((file) => ![...OWN, ...FILLED].includes(file));
  const { metafile } = await build({
    ...common,
    platform: 'browser',
    target: 'es2022',
    entryPoints: sources.map((file) => join(FOLDER, file)),
    outdir: join(dist, 'faces', 'browser'),
    format: 'esm',
    splitting: true,
    chunkNames: 'shared-[hash]',
    minifySyntax: true,
    minifyWhitespace: true,
    lineLimit: 200,
    plugins: [withFiles],
  });
  return metafile;
}

/** Of a folder what is read at run time, by the paths that it has where the package lies at the root. */
function filesOf(folder) {
  const files = readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'default.yaml') // which says what the schema says
    .map(({ parentPath, name }) => join(parentPath, name));
  return Object.fromEntries(
    files.map((file) => [file.slice(root.length - 1).replaceAll('\\', '/'), readFileSync(file, 'utf8')]),
  );
}
