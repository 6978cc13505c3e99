import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '../../../src/index.js';
import { freePort } from '../../support/postgres.js';
import { temporaryFolder } from '../support.js';

const folder = temporaryFolder();
const file = readFileSync(join(packageFolder(), 'Dockerfile'), 'utf8').replaceAll(/\\\n\s*/g, '');
/** Each instruction and its words, in order. */
const steps = [...file.matchAll(/^([A-Z]+) (.*)$/gm)].map(([, name, rest]) => [name!, rest!] as const);
/** The last instruction of a name, because the last image is the one that runs. */
const of = (name: string): string => steps.findLast(([one]) => one === name)![1];
const listIn = (text: string): string[] => JSON.parse(text.slice(text.indexOf('['))) as string[];

interface PackageFile {
  readonly name: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly engines: { readonly node: string };
  readonly peerDependencies: Readonly<Record<string, string>>;
}
const own = JSON.parse(readFileSync(join(packageFolder(), 'package.json'), 'utf8')) as PackageFile;

const children: { kill(): void }[] = [];
afterAll(() => children.forEach((child) => child.kill()));

/** Node with these arguments, as the container would run it, in the checkout. */
function run(command: readonly string[], port: number, env: NodeJS.ProcessEnv = {}) {
  const [node, ...args] = command.flatMap((word) =>
    word.startsWith('node_modules/spillway/')
      ? // The sources of the same command: tests need no build.
        ['--import', 'tsx', join(packageFolder(), 'src', 'faces', 'cli', 'spillway.ts')]
      : word.replace('/data/', `${folder.path}/`).replace(':8787', `:${port}`),
  );
  expect(node).toBe('node');
  const child = spawn(process.execPath, args, { cwd: packageFolder(), env: { ...process.env, ...env } });
  children.push(child);
  return child;
}

const ended = (child: ReturnType<typeof run>): Promise<number | null> =>
  new Promise((resolve) => child.once('exit', resolve));

describe('the container file', () => {
  it('N13: has known instructions, a Node that the package runs on, and peer dependencies of the package', () => {
    expect(steps.map(([name]) => name)).toEqual(
      expect.arrayContaining(['FROM', 'WORKDIR', 'COPY', 'RUN', 'USER', 'HEALTHCHECK', 'ENTRYPOINT', 'CMD']),
    );
    expect(
      steps.every(([name]) =>
        /^(?:FROM|WORKDIR|COPY|RUN|USER|VOLUME|EXPOSE|ENV|HEALTHCHECK|ENTRYPOINT|CMD)$/.test(name),
      ),
    ).toBe(true);
    const [, major] = /^node:(\d+)-slim$/.exec(of('FROM')) ?? [];
    const [, least] = /^>=(\d+)\./.exec(own.engines.node) ?? [];
    expect(Number(major)).toBeGreaterThanOrEqual(Number(least));
    const [, packages] = /npm install --omit=dev \S+\.tgz ([\w@. ]+?) &&/.exec(of('RUN')) ?? [];
    for (const other of packages!.split(' '))
      expect(Object.keys(own.peerDependencies)).toContain(other.replace(/@.*$/, ''));
    const [, script] = listIn(of('ENTRYPOINT'));
    expect(script).toBe(`node_modules/${own.name}/${own.bin['spillway']!.replace('./', '')}`);
    expect(of('USER')).not.toBe('root');
    expect(of('EXPOSE')).toBe('8787');
  });

  it('N13: starts the service, is healthy while it runs, and ends after SIGTERM', async () => {
    const port = await freePort();
    const health = (): Promise<number | null> => ended(run(listIn(of('HEALTHCHECK')), port));
    expect(await health()).toBe(1);
    const [, tokens] = /^SPILLWAY_SERVER_TOKENS='(.*)'$/.exec(of('ENV'))!;
    const service = run([...listIn(of('ENTRYPOINT')), ...listIn(of('CMD'))], port, {
      SPILLWAY_SERVER_PORT: String(port),
      SPILLWAY_SERVER_TOKENS: tokens!,
      OPERATOR_TOKEN: 'operator-token-0123456789',
    });
    let said = '';
    await new Promise<void>((resolve, reject) => {
      for (const stream of [service.stdout, service.stderr])
        stream.on('data', (piece) => {
          said += String(piece);
          if (said.includes('The Compactor page')) resolve();
        });
      service.once('exit', () => reject(new Error(said)));
    });
    expect(await health()).toBe(0);
    expect(existsSync(join(folder.path, 'spillway.db'))).toBe(true);
    service.kill('SIGTERM');
    expect(await ended(service)).toBe(0);
  });
});
