// The site: the pages of the repository where they stand, and a first page. `npm run site` builds it into
// site/.vitepress/dist; `npm run site:dev` serves it with changes as they are made.
import { join } from 'node:path';
import { env } from 'node:process';
import { defineConfig } from 'vitepress';
import { checkSite } from './check.js';
import { withPolicy } from './policy.js';
import { repositoryLinks } from './links.js';
import { sidebar } from './navigation.js';
import { excluded, rewrites, root } from './repository.js';
import { plainSearchBox, search } from './search.js';
import { headingSlug } from './slug.js';

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#0b6e8c" stroke-width="2.2" stroke-linecap="round" stroke-linejoin="round"><path d="M4 4v16h16"/><path d="M4 9c5 0 6 4 9 7s4 2 7 2"/></svg>`;

export default defineConfig({
  srcDir: '..',
  srcExclude: excluded(),
  rewrites: rewrites(),
  cacheDir: join(root, 'site', '.vitepress', 'cache'),
  outDir: join(root, 'site', '.vitepress', 'dist'),
  // The site can lie in a folder of its host: SITE_BASE=/spillway/
  base: env['SITE_BASE'] ?? '/',
  title: 'Spillway',
  description: "Keeps an LLM agent's conversation inside its model's window, and keeps it usable.",
  lang: 'en',
  metaChunk: true,
  head: [
    ['link', { rel: 'icon', href: `data:image/svg+xml,${encodeURIComponent(ICON)}` }],
    ['meta', { name: 'color-scheme', content: 'light dark' }],
  ],
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify: headingSlug },
    config: (markdown) => repositoryLinks(markdown, root),
  },
  transformHtml: (html) => withPolicy(html),
  buildEnd: ({ outDir, site }) => checkSite(outDir, site.base),
  vite: {
    plugins: [plainSearchBox],
    build: { chunkSizeWarningLimit: 4_000, target: 'es2022' },
    // The playground has the library as it is built, for browsers.
    resolve: {
      alias: {
        'spillway/importers': join(root, 'dist', 'importers', 'index.js'),
        'spillway/transcript': join(root, 'dist', 'transcript', 'index.js'),
        spillway: join(root, 'dist', 'index.js'),
      },
    },
    worker: { format: 'es' },
  },
  themeConfig: {
    search,
    notFound: { linkLabel: 'Take me home' },
    outline: { level: [2, 3] },
    nav: [
      { text: 'Playground', link: '/playground.html' },
      { text: 'Guides', link: '/guides/drop-in.html', activeMatch: '^/(guides|stages|install|proxy)' },
      { text: 'Reference', link: '/api.html', activeMatch: '^/(reference|api)' },
      { text: 'Benchmarks', link: '/benchmarks.html' },
      { text: 'Decisions', link: '/decisions/', activeMatch: '^/decisions/' },
    ],
    sidebar: sidebar(),
    externalLinkIcon: true,
  },
});
