// What is built is read again: links and places that lead nowhere, and what would be asked of another host, end the build.
// VitePress itself looks at links between pages, and at no place within one.
import { readdirSync, readFileSync, existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** Throws with every fault. */
export function checkSite(folder: string, base: string): void {
  const files = readdirSync(folder, { recursive: true })
    .map((file) => join(folder, String(file)))
    .filter((file) => file.endsWith('.html'));
  const places = new Map(files.map((file) => [file, placesOf(readFileSync(file, 'utf8'))]));
  const faults = files.flatMap((file) => faultsOf(file, { folder, base, places }));
  if (faults.length === 0) return;
  throw new Error(`${faults.length} faults of the site:\n${faults.join('\n')}`);
}

interface Site {
  readonly folder: string;
  readonly base: string;
  readonly places: ReadonlyMap<string, ReadonlySet<string>>;
}

function faultsOf(file: string, { folder, base, places }: Site): string[] {
  const html = readFileSync(file, 'utf8');
  const fault = (what: string): string => `${relative(folder, file)}: ${what}`;
  const foreign = [
    ...html.matchAll(
      /<(?:script|link|img|iframe|source|video|audio)\b[^>]*\b(?:src|href)="((?:https?:)?\/\/[^"]+)"/g,
    ),
  ].map(([, address]) => fault(`asks another host: ${address}`));
  const links = [...html.matchAll(/<a\b[^>]*\bhref="([^"]*)"/g)].map(([, href]) =>
    href!.replaceAll('&amp;', '&'),
  );
  const dead = links.flatMap((href) => {
    if (/^[a-z][a-z\d+.-]*:/i.test(href)) return [];
    const [path = '', place = ''] = href.split('#', 2);
    const target = fileAt(path, file, folder, base);
    if (target === undefined) return [fault(`leads nowhere: ${href}`)];
    if (place === '' || !target.endsWith('.html')) return [];
    return places.get(target)?.has(decodeURIComponent(place)) ? [] : [fault(`no such place: ${href}`)];
  });
  return [...new Set([...foreign, ...dead])];
}

function fileAt(path: string, from: string, folder: string, base: string): string | undefined {
  if (path === '') return from;
  const plain = decodeURIComponent(path);
  const file = plain.startsWith('/')
    ? join(folder, plain.slice(base.length - 1))
    : resolve(dirname(from), plain);
  return [file, join(file, 'index.html')].find((one) => existsSync(one) && !isFolder(one));
}

const isFolder = (path: string): boolean => existsSync(join(path, 'index.html'));

const placesOf = (html: string): ReadonlySet<string> =>
  new Set([...html.matchAll(/\s(?:id|name)="([^"]+)"/g)].map(([, id]) => id!));
