// The Compactor page: React and what it needs, one script and one style sheet in dist/page.
import { join, relative, sep } from 'node:path';
import { build } from 'vite';
import { root } from './options.mjs';

/** Returns what went in, as esbuild would tell it. */
export async function buildPage() {
  const { output } = await build({ configFile: join(root, 'page', 'vite.config.mjs') });
  const files = output.flatMap((chunk) => (chunk.type === 'chunk' ? Object.keys(chunk.modules) : []));
  // Style sheets are in no chunk: the packages they are from have scripts in it as well.
  return { inputs: Object.fromEntries(files.map((file) => [relative(root, file).split(sep).join('/'), {}])) };
}
