// The Compactor page: one script (with React) and one style sheet in dist/page.
import { join, relative, sep } from 'node:path';
import { build } from 'vite';
import { root } from './options.mjs';

/** Returns the inputs, in the form that esbuild reports. */
export async function buildPage() {
  const { output } = await build({ configFile: join(root, 'page', 'vite.config.mjs') });
  const files = output.flatMap((chunk) => (chunk.type === 'chunk' ? Object.keys(chunk.modules) : []));
  // No chunk lists style sheets, but their packages have scripts in the chunk as well.
  return { inputs: Object.fromEntries(files.map((file) => [relative(root, file).split(sep).join('/'), {}])) };
}
