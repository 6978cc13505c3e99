// The Compactor page: `npm run build` puts it into dist/page; `npm run page` serves it with changes as they are made, beside a
// service that runs on its usual port.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const SERVICE = 'http://127.0.0.1:8787';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  publicDir: false,
  logLevel: 'warn',
  build: {
    outDir: '../dist/page',
    emptyOutDir: true,
    // The policy of the service lets nothing in that is written into the page itself.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // One chunk: it is read from this machine, or once and then from the browser's cache.
    chunkSizeWarningLimit: 1_500,
    target: 'es2022',
    rolldownOptions: {
      // "use client" is meant for servers that render pages; here nobody does.
      onLog: (level, log, say) => {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') say(level, log);
      },
    },
  },
  server: { proxy: { '/api': SERVICE } },
});
