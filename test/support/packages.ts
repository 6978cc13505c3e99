import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Links Spillway's sources and packages of this checkout into a folder, so that a package in it finds them. */
export function linkPackages(folder: string, packages: readonly string[] = ['zod']): void {
  const modules = join(folder, 'node_modules');
  const { exports, name, version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly name: string;
    readonly version: string;
    readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
  };
  const sources = Object.entries(exports).map(([door, target]) => [
    door,
    typeof target === 'string' ? target : target.default.replace('./dist/', './src/').replace(/\.js$/, '.ts'),
  ]);
  mkdirSync(join(modules, name), { recursive: true });
  const manifest = { name, version, type: 'module', exports: Object.fromEntries(sources) as unknown };
  writeFileSync(join(modules, name, 'package.json'), JSON.stringify(manifest));
  symlinkSync(join(ROOT, 'src'), join(modules, name, 'src'), 'dir');
  for (const one of packages) {
    mkdirSync(dirname(join(modules, one)), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', one), join(modules, one), 'dir');
  }
}

/** Runs the `npm test` of such a package with its own runner, over Spillway's sources. */
export function runOwnTests(
  folder: string,
  ...files: readonly string[]
): Promise<{ readonly code: number | null; readonly out: string }> {
  const tsx = pathToFileURL(join(ROOT, 'node_modules', 'tsx', 'dist', 'esm', 'index.mjs')).href;
  const args = ['--import', tsx, '--test', '--test-reporter=tap', ...files];
  const { NODE_TEST_CONTEXT: _, NODE_OPTIONS: __, ...env } = process.env;
  const own = join(folder, 'tsconfig.json');
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { ...env, TSX_TSCONFIG_PATH: existsSync(own) ? own : join(ROOT, 'tsconfig.json') },
  });
  let out = '';
  child.stdout.on('data', (chunk) => void (out += chunk));
  child.stderr.on('data', (chunk) => void (out += chunk));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, out })));
}
