// The Compactor page: `npm run build` puts it into dist/page; `npm run page` serves it with live changes, next to a
// service on its usual port.
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
    // The service's content security policy forbids inline content.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // One chunk is enough: the page is read from this machine, or once and then from the browser's cache.
    chunkSizeWarningLimit: 1_500,
    target: 'es2022',
    rolldownOptions: {
      // "use client" is meant for servers that render pages; no server renders this page.
      onLog: (level, log, say) => {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') say(level, log);
      },
    },
  },
  server: { proxy: { '/api': SERVICE } },
});
