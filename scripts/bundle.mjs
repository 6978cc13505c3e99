// Bundles the command line into dist/cli: one file, quick to start. Figures: docs/decisions/0004-start-up.md.
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { basename, join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const out = join(root, 'dist', 'cli');
const cli = join(root, 'src', 'cli');

/** What src/cli/spillway.ts does, without awaiting at the top level, which CommonJS cannot. */
const ENTRY = `import { main } from './main.js';
  void main(process.argv).then((code) => { process.exitCode = code; });`;

/** What the code cache is warmed with: a command that walks the usual path. */
const WARM_UP = ['compact', join(root, 'scripts', 'warm-up.json')];

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

/**
 * A tokenizer's vocabulary is 200,000 literals in a script of 2 MB, which V8 takes 110 ms to parse. As lines of a text
 * file beside the bundle, split when it is first asked for, it takes 35 ms; UTF-8 would take 15 ms more to decode.
 * Entries that are bytes, or that hold the separator, stand in the code.
 */
const plainVocabulary = {
  name: 'plain-vocabulary',
  setup({ onLoad }) {
    const separator = '\u0001';
    onLoad({ filter: /gpt-tokenizer[\\/].*[\\/]bpeRanks[\\/]\w+\.js$/ }, async ({ path }) => {
      const ranks = (await import(pathToFileURL(path).href)).default;
      const isPlain = (entry) => typeof entry === 'string' && !entry.includes(separator);
      const text = ranks.map((entry) => (isPlain(entry) ? entry : '')).join(separator);
      const odd = ranks.flatMap((entry, rank) => (isPlain(entry) ? [] : [[rank, entry]]));
      const again = text.split(separator);
      for (const [rank, entry] of odd) again[rank] = entry;
      if (!isDeepStrictEqual(again, ranks))
        throw new Error(`${basename(path)} does not survive as plain text.`);
      const file = `${basename(path, '.js')}.txt`;
      writeFileSync(join(out, file), text, 'utf16le');
      return {
        contents: `
          import { readFileSync } from 'node:fs';
          import { join } from 'node:path';
          const ranks = readFileSync(join(__dirname, ${JSON.stringify(file)}), 'utf16le').split(${JSON.stringify(separator)});
          for (const [rank, entry] of ${JSON.stringify(odd)}) ranks[rank] = entry;
          export default ranks;`,
      };
    });
  },
};

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
await build({
  stdin: { contents: ENTRY, resolveDir: cli, sourcefile: 'entry.js' },
  outfile: join(out, 'bundle.cjs'),
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs', // starts 15 ms sooner than ESM, and V8 caches it; so no other module of ours may await at its top level
  minifySyntax: true,
  minifyWhitespace: true, // names stay, so that a stack trace can be read
  charset: 'ascii', // read back as one byte a character, in a third of the time
  legalComments: 'none',
  logLevel: 'warning',
  banner: {
    js: `const __addressOf = (path) => new URL(path, require('node:url').pathToFileURL(__filename)).href;`,
  },
  // Optional peers: taken from where the user installed them, if a model is asked for. Databases: native code, or loaded
  // only where a store is asked for. By require: from compiled code Node lets no import() out.
  external: ['ai', '@ai-sdk/*', 'kysely', 'libsql', 'pg', 'pg-boss'],
  supported: { 'dynamic-import': false },
  plugins: [ownAddress, oneLanguage, plainVocabulary],
});
const launcher = join(out, 'spillway.js');
copyFileSync(join(root, 'scripts', 'launcher.cjs'), launcher);
chmodSync(launcher, 0o755);
copyFileSync(join(cli, 'import-module.cjs'), join(out, 'import-module.cjs'));
writeFileSync(join(out, 'package.json'), '{ "type": "commonjs" }\n');

const cache = join(root, 'scripts', 'code-cache.cjs');
const warmUp = spawnSync(process.execPath, [cache, launcher, ...WARM_UP], {
  encoding: 'utf8',
  timeout: 60_000,
});
if (warmUp.status !== 0) {
  const reason = (warmUp.stderr || warmUp.error?.message || '').trim().split('\n')[0];
  console.error(`The warm-up run failed, so that start-up may be slower: ${reason}`);
}
