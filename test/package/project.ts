import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The tarball, and the folder for its projects. */
export interface Packed {
  readonly folder: string;
  readonly tarball: string;
  readonly files: readonly string[];
  readonly bytes: number;
  /** Bytes of its files once unpacked. */
  readonly unpacked: number;
}

export interface Ran {
  readonly out: string;
  readonly err: string;
  readonly status: number | null;
}

/** Packs what `npm publish` would send; `--built` takes dist as it is. */
export function pack(folder: string): Packed {
  const built = process.argv.includes('--built') ? ['--ignore-scripts'] : [];
  const { out, err, status } = run(
    'npm',
    ['pack', '--json', '--loglevel=error', ...built, '--pack-destination', folder],
    ROOT,
  );
  if (status !== 0) throw new Error(`npm pack failed: ${err}`);
  // The build's output precedes the JSON.
  const [{ filename, files, size, unpackedSize }] = JSON.parse(out.slice(out.indexOf('[\n'))) as [
    { filename: string; files: { path: string }[]; size: number; unpackedSize: number },
  ];
  return {
    folder,
    tarball: join(folder, filename),
    files: files.map(({ path }) => path),
    bytes: size,
    unpacked: unpackedSize,
  };
}

/** A fresh project with the tarball and these packages, installed by npm from the configured registry. */
export function installed(
  { folder, tarball }: Packed,
  name: string,
  packages: readonly string[] = [],
): string {
  const project = empty(folder, name);
  const flags = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { err, status } = run('npm', ['install', ...flags, tarball, ...packages], project);
  if (status !== 0) throw new Error(`npm install of ${packages.join(' ') || 'the package'} failed: ${err}`);
  return project;
}

/** A copy of a project with packages of this checkout and all their dependencies. */
export function copyOf(from: string, { folder }: Packed, name: string, packages: readonly string[]): string {
  const project = empty(folder, name);
  cpSync(join(from, 'node_modules'), join(project, 'node_modules'), { recursive: true });
  const copied = new Set<string>();
  for (const one of packages) copyPackage(one, ROOT, project, copied);
  return project;
}

/** `as=name` copies a package under another name. Packages nested in it are copied too. */
function copyPackage(asked: string, holder: string, project: string, copied: Set<string>): void {
  const [as, name = as] = asked.split('=') as [string, string?];
  const nested = join(holder, 'node_modules', name);
  const isNested = holder !== ROOT && existsSync(nested);
  const source = isNested ? nested : join(ROOT, 'node_modules', name);
  if (!existsSync(source) || copied.has(isNested ? source : as)) return;
  copied.add(isNested ? source : as);
  const target = join(project, 'node_modules', as);
  if (!isNested && !existsSync(target)) cpSync(source, target, { recursive: true, dereference: true });
  const { dependencies, optionalDependencies } = JSON.parse(
    readFileSync(join(source, 'package.json'), 'utf8'),
  ) as Record<string, Record<string, string> | undefined>;
  for (const one of Object.keys({ ...dependencies, ...optionalDependencies })) {
    copyPackage(one, source, project, copied);
  }
}

function empty(folder: string, name: string): string {
  const project = join(folder, name);
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), `{ "name": "${name}", "private": true, "type": "module" }\n`);
  return project;
}

/** Runs a program in a project, without the environment's variables for settings and keys. */
export function run(command: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}): Ran {
  const own = Object.entries(process.env).filter(([name]) => !/^(?:SPILLWAY_|OPENAI_|ANTHROPIC_)/.test(name));
  const ran = spawnSync(command, args, {
    cwd,
    env: { ...Object.fromEntries(own), ...env },
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    shell: process.platform === 'win32',
  });
  return { out: ran.stdout, err: ran.stderr || String(ran.error ?? ''), status: ran.status };
}

/** Runs a module's text in a project; returns what it prints, or the fault. */
export function program(project: string, file: string, text: string): Ran {
  writeFileSync(join(project, file), text);
  return run(process.execPath, [file], project);
}
