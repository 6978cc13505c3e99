import { spawn } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { serveEmulator } from '../emulator/server.js';
import { typeFaults, type Options } from './compilers.js';
import { copyOf, ROOT, type Packed } from './project.js';

const PACKAGES = [
  '@ai-sdk/openai',
  '@anthropic-ai/sdk',
  '@langchain/core',
  '@langchain/openai',
  '@types/node',
  'ai',
  'inversify',
  'langchain',
  'libsql',
  'openai',
  'reflect-metadata',
];

/** The example that also runs in this checkout. One is enough: all differ there only in where `spillway` is found. */
const IN_CHECKOUT = 'library.ts';

/** Runs the examples as a user copies them out of the package. */
export async function checkExamples(packed: Packed): Promise<string[]> {
  const project = copyOf(join(packed.folder, 'bare'), packed, 'examples', PACKAGES);
  cpSync(join(project, 'node_modules', 'spillway', 'examples'), project, { recursive: true });
  const names = readdirSync(project).filter((name) => name.endsWith('.ts'));
  const texts = Object.fromEntries(names.map((name) => [name, readFileSync(join(project, name), 'utf8')]));
  writeFileSync(
    join(project, 'tsconfig.json'),
    '{ "compilerOptions": { "experimentalDecorators": true } }\n',
  );
  const decorators: Options = {
    experimentalDecorators: true,
    types: ['node'],
    allowImportingTsExtensions: false,
    skipLibCheck: false,
  };
  const faults = typeFaults(project, texts, decorators);
  const emulator = await serveEmulator();
  const env = {
    OPENAI_API_KEY: 'k',
    OPENAI_BASE_URL: emulator.url,
    ANTHROPIC_API_KEY: 'k',
    ANTHROPIC_BASE_URL: emulator.url.replace(/\/v1$/, ''),
  };
  try {
    for (const name of names) faults.push(...(await runs(name, project, join(project, name), env)));
    // An example writes its files next to itself: here, and not in the checkout.
    const paths = { ...env, TSX_TSCONFIG_PATH: join(ROOT, 'tsconfig.json') };
    const file = join(ROOT, 'examples', IN_CHECKOUT);
    faults.push(...(await runs(`${IN_CHECKOUT} in the checkout`, project, file, paths)));
  } finally {
    emulator.close();
  }
  return faults;
}

/** Does not use `spawnSync`, because this process serves the model. */
function runs(what: string, cwd: string, file: string, env: NodeJS.ProcessEnv): Promise<string[]> {
  const tsx = pathToFileURL(join(ROOT, 'node_modules', 'tsx', 'dist', 'esm', 'index.mjs')).href;
  const child = spawn(process.execPath, ['--import', tsx, file], { cwd, env: { ...process.env, ...env } });
  let said = '';
  let failed = '';
  child.stdout.on('data', (chunk) => void (said += chunk));
  child.stderr.on('data', (chunk) => void (failed += chunk));
  return new Promise((resolve) => {
    child.on('close', (status) => {
      const isWell = status === 0 && said.trim() !== '' && failed === '';
      resolve(isWell ? [] : [`${what}: ${said.trim()} ${failed.trim()} (exit ${status})`]);
    });
  });
}
