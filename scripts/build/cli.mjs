// Bundles the command line into dist/cli: one file, quick to start. Figures: docs/decisions/0004-start-up.md.
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { common, commonPlugins, dist, root } from './options.mjs';
import { fromTextFile } from './vocabulary.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const out = join(dist, 'cli');
const cli = join(root, 'src', 'cli');

/** What src/cli/spillway.ts does, without awaiting at the top level, which CommonJS cannot. */
const ENTRY = `import { main } from './main.js';
  void main(process.argv).then((code) => { process.exitCode = code; });`;

/** What the code cache is warmed with: a command that walks the usual path. */
const WARM_UP = ['compact', join(here, 'warm-up.json')];

/**
 * A module finds its files by `import.meta.url`. In the bundle each still sees the address that it has in dist, so
 * `new URL('../../config/', import.meta.url)` in src/config/ means the same folder in both.
 */
const ownAddress = {
  name: 'own-address',
  setup({ onLoad }) {
    const src = join(root, 'src') + sep;
    onLoad({ filter: /\.tsx?$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      if (!path.startsWith(src) || !text.includes('import.meta.url')) return undefined;
      const inDist = join('..', relative(src, path))
        .split(sep)
        .join('/')
        .replace(/\.tsx?$/, '.js');
      const contents = text.replaceAll('import.meta.url', `__addressOf(${JSON.stringify(inDist)})`);
      return { contents, loader: path.endsWith('x') ? 'tsx' : 'ts' };
    });
  },
};

/** zod carries its messages in 50 languages, 250 kB; ours are English. */
const oneLanguage = {
  name: 'one-language',
  setup({ onLoad }) {
    onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: `export { default as en } from './en.js';`,
    }));
  },
};

/** Returns what went in, as esbuild tells it. */
export async function buildCli() {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const { metafile } = await build({
    ...common,
    stdin: { contents: ENTRY, resolveDir: cli, sourcefile: 'entry.js' },
    outfile: join(out, 'bundle.cjs'),
    format: 'cjs', // starts 15 ms sooner than ESM, and V8 caches it; so no other module of ours may await at its top level
    minifySyntax: true,
    minifyWhitespace: true, // names stay, so that a stack trace can be read
    charset: 'ascii', // read back as one byte a character, in a third of the time
    banner: {
      js: `const __addressOf = (path) => new URL(path, require('node:url').pathToFileURL(__filename)).href;`,
    },
    // Taken from where the user installed them, if a model or a store is asked for. By require: from compiled code Node
    // lets no import() out.
    external: [
      'ai',
      '@ai-sdk/*',
      'libsql',
      'pg',
      'pg-native',
      'pg-boss',
      'fastify',
      '@opentelemetry/api',
      '@modelcontextprotocol/sdk/*',
    ],
    supported: { ...common.supported, 'dynamic-import': false },
    plugins: [...commonPlugins, fromTextFile(`__addressOf('.')`), ownAddress, oneLanguage],
  });
  asciiOnly(join(out, 'bundle.cjs'));
  const launcher = join(out, 'spillway.js');
  copyFileSync(join(here, 'launcher.cjs'), launcher);
  chmodSync(launcher, 0o755);
  copyFileSync(join(root, 'src', 'import-module.cjs'), join(dist, 'import-module.cjs'));
  writeFileSync(join(out, 'package.json'), '{ "type": "commonjs" }\n');
  warmUp(launcher);
  return metafile;
}

/** The launcher reads one byte a character; esbuild leaves what stands in a regular expression as it is. */
function asciiOnly(file) {
  const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  writeFileSync(file, readFileSync(file, 'utf8').replace(/[^\0-\x7f]/g, escaped));
}

/** Leaves V8's compiled form beside the bundle. It is good for this very Node alone, so it is not packed. */
function warmUp(launcher) {
  const { status, stderr, error } = spawnSync(
    process.execPath,
    [join(here, 'code-cache.cjs'), launcher, ...WARM_UP],
    { encoding: 'utf8', timeout: 60_000 },
  );
  if (status === 0) return;
  const reason = (stderr || error?.message || '').trim().split('\n')[0];
  console.error(`The warm-up run failed, so that start-up may be slower: ${reason}`);
}
