// What of the repository stands on the site, and under which address. Pages are not copied: VitePress reads them where they are.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, extname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

/** VitePress bundles its configuration beside where it stands, so this is the folder `site/.vitepress` in both. */
export const root = findRoot(dirname(fileURLToPath(import.meta.url)));

function findRoot(folder: string): string {
  return existsSync(join(folder, 'config', 'default.yaml')) ? folder : findRoot(dirname(folder));
}

/** Patterns of source files and the addresses they get; the first that fits. */
const ADDRESSES: readonly (readonly [pattern: RegExp, address: string])[] = [
  [/^docs\/decisions\/README\.md$/, 'decisions/index.md'],
  [/^docs\/CONTRACT\.md$/, 'contract.md'],
  [/^docs\/(.+\.md)$/, '$1'],
  [/^src\/stages\/(\w+)\/README\.md$/, 'stages/$1.md'],
  [/^examples\/README\.md$/, 'examples/index.md'],
  [/^examples\/(.+)\/README\.md$/, 'examples/$1.md'],
  [/^benchmarks\/retention\/README\.md$/, 'retention.md'],
  [/^README\.md$/, 'readme.md'],
  [/^(CHANGELOG|CONTRIBUTING|SECURITY|CODE_OF_CONDUCT)\.md$/, '$1.md'],
  [/^site\/reference\/README\.md$/, 'reference/index.md'],
  [/^site\/(.+\.md)$/, '$1'],
];

/** Folders whose Markdown is looked at. */
const FOLDERS = ['docs', 'site', 'examples', 'src/stages', 'benchmarks/retention', '.'];

/** Address of a source file as the site has it, `decisions/index.md`; undefined where it is no page. */
export function addressOf(file: string): string | undefined {
  const found = ADDRESSES.find(([pattern]) => pattern.test(file));
  if (found === undefined) return undefined;
  const address = file.replace(found[0], found[1]);
  return /^[A-Z_]+\.md$/.test(address) ? address.toLowerCase().replaceAll('_', '-') : address;
}

/** Source -> address of every page, as VitePress takes `rewrites`, those that show a source file too. */
export const rewrites = (): Record<string, string> => ({
  ...pages(),
  ...Object.fromEntries(linkedSources().map((file) => [`site/source/${file}.md`, `source/${file}.md`])),
});

/** Source -> address of every page that is written. */
export function pages(): Record<string, string> {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: folder !== '.' })
      .map((file) => posix.normalize(posix.join(folder, String(file).replaceAll('\\', '/'))))
      .filter((file) => file.endsWith('.md') && !file.includes('node_modules') && !file.includes('['))
      .filter((file) => !/\/\.\w/.test(file)),
  );
  return Object.fromEntries(
    [...new Set(files)].sort().flatMap((file) => {
      const address = addressOf(file);
      return address === undefined ? [] : [[file, address]];
    }),
  );
}

/** What VitePress is to leave alone: all that is no page. */
export function excluded(): string[] {
  const wanted = new Set(FOLDERS.map((folder) => folder.split('/')[0]));
  const others = readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !wanted.has(entry.name))
    .map(({ name }) => `${name}/**`);
  const files = readdirSync(root).filter((file) => file.endsWith('.md') && addressOf(file) === undefined);
  const elsewhere = [
    'src/!(stages)/**',
    'src/stages/*/fixtures/**',
    'benchmarks/!(retention)/**',
    'benchmarks/*.md',
    'examples/sessions/**',
  ];
  return [...others, ...files, ...elsewhere, 'site/.vitepress/**'];
}

/** The one linked file that is too long to read on a page: the first page draws it. */
const SESSION = 'examples/sessions/pressure-gauge.jsonl';

/**
 * Address of what a link on a page leads to: of another page, of a source file as a page of its own, or undefined where it
 * leads out of the repository or is a place on the same page.
 */
export function targetOf(page: string, href: string): string | undefined {
  if (/^(?:[a-z][a-z\d+.-]*:|#|\/)/i.test(href)) return undefined;
  const [path = '', hash] = href.split('#', 2);
  // A part of README.md that stands on another page has its links from there.
  const file = [posix.join(dirname(page), path), path]
    .map(posix.normalize)
    .find((one) => existsSync(join(root, one)));
  if (file === undefined) return undefined;
  const place = hash === undefined ? '' : `#${hash}`;
  if (file === SESSION) return '/';
  const address = addressOf(file);
  if (address !== undefined)
    return `/${address.replace(/(?:index)?\.md$/, (end) => (end === '.md' ? '.html' : ''))}${place}`;
  return isImage(file) || statSync(join(root, file)).isDirectory() ? undefined : `/source/${file}.html`;
}

const isImage = (file: string): boolean => ['.png', '.svg'].includes(extname(file));

/** Files that pages link to and that are no pages: each gets one that shows it. */
export function linkedSources(): string[] {
  const found = Object.keys(pages()).flatMap((page) =>
    [...readFileSync(join(root, page), 'utf8').matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, href]) => {
      const [, file] = /^\/source\/(.+)\.html$/.exec(targetOf(page, href!) ?? '') ?? [];
      return file === undefined ? [] : [file];
    }),
  );
  return [...new Set(found)].sort();
}

/** The first heading of a page, or of one that is still to be written its name. */
export function headingOf(file: string): string {
  const text = readFileSync(join(root, file), 'utf8');
  return (/^title: (.+)$/m.exec(text) ?? /^# (.+)$/m.exec(text))?.[1]?.replaceAll('`', '') ?? file;
}
