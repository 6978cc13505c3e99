// One library for Node and browsers. It imports Node's modules by the names under `imports` in package.json: Node finds
// its own, a bundler for browsers src/faces/browser: docs/decisions/0071-one-library-for-browsers.md.
import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';
import { common, dist, manifest, root } from './options.mjs';

const NAMES = new Set(Object.keys(manifest.imports).map((name) => name.slice(1)));
const FOLDER = join(root, 'src', 'faces', 'browser');
const external = (name) => ({ path: `#${name}`, external: true, sideEffects: false });
/** These throw our own errors, so they are built with the library. */
const OWN = ['store.ts', 'vocabulary.ts'];
/** The build fills these; other modules include them. */
const FILLED = ['files.ts', 'odd-tokens.ts'];
export const browserSources = OWN.map((file) => `src/faces/browser/${file}`);

/** Stores that need a disk or a server are imported by such names too, so that no browser loads their drivers. */
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
    // CommonJS packages `require` Node's built-in modules; an ES module and a user's bundler have no `require`.
    onResolve({ filter: /^(?:node:)?\w+(?:\/\w+)?$/ }, ({ kind, path }) =>
      kind === 'require-call' && isBuiltin(path)
        ? { path: path.replace(/^node:/, ''), namespace: 'required' }
        : undefined,
    );
    onLoad({ filter: /./, namespace: 'required' }, ({ path }) => ({
      // The default export of modules that both platforms have; `events` is a class that has itself as a field.
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

/** Builds the browser's replacements of Node's modules, with the packages that they use. Returns the inputs. */
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

/** The files of a folder that are read at run time, with their paths relative to the package. */
function filesOf(folder) {
  const files = readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'default.yaml') // it repeats the schema
    .map(({ parentPath, name }) => join(parentPath, name));
  return Object.fromEntries(
    files.map((file) => [file.slice(root.length - 1).replaceAll('\\', '/'), readFileSync(file, 'utf8')]),
  );
}
