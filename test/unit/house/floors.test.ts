import { exists, importsOf, read, sourceFiles, type Import } from './source.js';

/** Bottom-up. A floor imports only from floors below it; the wings of one floor never know each other. */
const FLOORS: readonly (readonly string[])[] = [
  ['errors'],
  ['faces/browser'],
  ['transcript'],
  ['tokens'],
  ['text/facts'],
  ['text/reading'],
  ['text/digest'],
  ['spi'],
  ['stages', 'summarizers', 'formats', 'stores', 'pressure', 'config', 'session/plugins'],
  ['pipeline'],
  ['session'],
  ['faces/endpoints', 'faces/operations'],
  ['package-folder.ts'],
  ['user-module.ts'],
  ['container'],
  ['index.ts'],
  ['testkit', 'faces/importers'],
  ['faces/server', 'faces/adapters'],
  ['faces/cli'],
];

/** The only way up, for types alone: tokens implements the counter whose contract stands with the others in spi. */
const UPWARD = { from: 'tokens', to: 'spi' };

/** Below its floor, and still none of its business. */
const STRANGERS = [
  { from: 'pipeline', to: 'stages', because: 'the pipeline knows the SPI, no concrete stage' },
  { from: 'session', to: 'stages', because: 'stages come in from outside' },
];

/** One library, one owner: who else wants it goes through the owner's door. A type alone may be named anywhere. */
const OWNERS: Readonly<Record<string, string>> = {
  '@ai-sdk/anthropic': 'summarizers/model.ts',
  '@ai-sdk/openai': 'summarizers/model.ts',
  '@ai-sdk/openai-compatible': 'summarizers/model.ts',
  '@langchain/core': 'faces/adapters/',
  '@noble/hashes': 'faces/browser/',
  '@modelcontextprotocol/sdk': 'faces/cli/',
  '@opentelemetry/api': 'faces/adapters/opentelemetry',
  '@pydantic/genai-prices': 'tokens/',
  ai: 'summarizers/model.ts',
  buffer: 'faces/browser/',
  'cli-table3': 'faces/cli/',
  commander: 'faces/cli/',
  convict: 'config/',
  dequal: 'faces/browser/',
  events: 'faces/browser/',
  fastify: 'faces/server/',
  'gpt-tokenizer': 'tokens/',
  inversify: 'container/',
  kysely: 'stores/',
  libsql: 'stores/',
  'log-update': 'faces/cli/',
  opossum: 'summarizers/breaker.ts',
  pathe: 'faces/browser/',
  pg: 'stores/',
  'pg-boss': 'stores/postgres/',
  picocolors: 'faces/cli/',
  'reflect-metadata': 'container/',
  rxjs: 'pressure/',
  yaml: 'config/',
  'fastify-type-provider-zod': 'faces/server/',
  'prom-client': 'faces/server/',
  zod: '', // schemas belong to what they describe: settings, stage options, wire bodies
};

const floorOf = (file: string): number => FLOORS.findIndex((wings) => wings.includes(wingOf(file)));
/** Three folders hold wings of their own. */
const wingOf = (file: string): string => /^(?:faces|text)\/[^/]+|^session\/plugins|^[^/]+/.exec(file)![0];
const folderOf = (file: string): string => file.split('/').slice(0, -1).join('/');

const imports = sourceFiles().flatMap(importsOf);
const inside = imports.filter((one) => !one.isPackage);
const show = ({ from, to }: Import): string => `${from} -> ${to}`;

describe('the floors', () => {
  it('give every file of src a place', () => {
    expect(sourceFiles().filter((file) => floorOf(file) < 0)).toEqual([]);
  });

  it('stand in docs/architecture.md, from the top', () => {
    const house = read('docs/architecture.md')
      .split('\n## ')
      .find((part) => part.startsWith('The house'))!;
    const rows = house.matchAll(/^\| (`[a-z./` -]*`) \| /gm);
    const told = [...rows].map(([, names]) =>
      [...names!.matchAll(/`([^`]+?)\/?`/g)].map(([, name]) => name!).sort(),
    );
    expect(told).toEqual(FLOORS.map((wings) => [...wings].sort()).reverse());
  });

  it('import only from the floors below', () => {
    const isUp = ({ from, to }: Import): boolean =>
      wingOf(from) !== wingOf(to) && floorOf(to) >= floorOf(from);
    const isContract = ({ from, to, typeOnly }: Import): boolean =>
      typeOnly && wingOf(from) === UPWARD.from && wingOf(to) === UPWARD.to;
    expect(inside.filter((one) => isUp(one) && !isContract(one)).map(show)).toEqual([]);
  });

  it.each(STRANGERS)('keep $from away from $to: $because', ({ from, to }) => {
    expect(inside.filter((one) => wingOf(one.from) === from && wingOf(one.to) === to).map(show)).toEqual([]);
  });

  it('give built-in stages what every stage has: spi and zod, and nothing else', () => {
    const isOwn = ({ from, to, isPackage }: Import): boolean =>
      isPackage ? to.startsWith('zod') : to === 'spi/index.ts' || folderOf(to) === folderOf(from);
    const ofStages = imports.filter(({ from }) => /^stages\/\w+\//.test(from));
    const read = new Set(ofStages.map(({ from }) => folderOf(from)));
    expect([...read].sort()).toEqual(
      ['auto', 'collapse', 'full', 'micro', 'partial', 'snip'].map((name) => `stages/${name}`),
    );
    expect(ofStages.filter((one) => !isOwn(one)).map(show)).toEqual([]);
  });

  it('are entered through the door, index.ts', () => {
    expect(inside.filter(reachesPastDoor).map(show)).toEqual([]);
  });

  it('hold only imports that exist', () => {
    expect(inside.filter(({ to }) => !exists(`src/${to}`)).map(show)).toEqual([]);
  });
});

describe('libraries', () => {
  const packages = imports.filter(({ to, isPackage }) => isPackage && !to.startsWith('node:'));
  const ownerOf = (name: string): string | undefined =>
    OWNERS[name] ?? (name.startsWith('@fastify/') ? 'faces/server/' : undefined);

  it('have one owner each', () => {
    const isOwned = ({ from, to, typeOnly }: Import): boolean =>
      typeOnly || from.startsWith(ownerOf(to) ?? '?');
    expect(packages.filter((one) => !isOwned(one)).map(show)).toEqual([]);
  });

  it('are bundled (devDependencies), or installed by users', () => {
    const manifest = JSON.parse(read('package.json')) as Record<string, object>;
    const { dependencies, devDependencies, peerDependencies } = manifest;
    const declared = Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies });
    const wanted = packages.filter(({ typeOnly }) => !typeOnly);
    expect(wanted.filter(({ to }) => !declared.includes(to)).map(show)).toEqual([]);
  });
});

/** Of the folders that the import enters, the outermost with a door must be entered by it; a floor always has one. */
function reachesPastDoor({ from, to }: Import): boolean {
  const folders = to.split('/').slice(0, -1);
  for (let depth = 1; depth <= folders.length; depth += 1) {
    const folder = folders.slice(0, depth).join('/');
    if (from.startsWith(`${folder}/`)) continue;
    const door = `${folder}/index.ts`;
    if (folder !== wingOf(to) && wingOf(to).startsWith(`${folder}/`)) continue;
    if (depth === 1 || exists(`src/${door}`)) return to !== door;
  }
  return false;
}
