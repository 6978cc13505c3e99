import { buildSync } from 'esbuild';
import { join } from 'node:path';
import { DOORS, expected } from './doors.js';
import { installed, program, type Packed } from './project.js';

/** Versions of optional packages that Spillway does not work with, but that users may have. */
const OTHERS = ['@langchain/core@0.3', 'ai@5', 'fastify@4', 'inversify@7', 'pg-boss@12'];

/** Installs next to other versions of optional packages: npm refuses none, and each entry point names its version. */
export async function checkBeside(packed: Packed): Promise<string[]> {
  const project = installed(packed, 'others', [...OTHERS, 'reflect-metadata']);
  return expected('other versions', program(project, 'others.mjs', OPENED), SAID.join('\n'));
}

const OPENED = `
  import { createSpillway } from 'spillway';
  const said = (error) => console.log(error.code, error.message.match(/found "?([^ "]+) /)?.[1] ?? error.message);
  const { compactLangChain } = await import('spillway/langchain');
  const { createContainer } = await import('spillway/container');
  const { serve } = await import('spillway/server');
  const spillway = await createSpillway({ inputBudget: 2_000 });
  const summarizerModel = { model: 'm', baseUrl: 'http://127.0.0.1:9' };
  for (const open of [
    () => compactLangChain(spillway),
    () => createContainer(),
    () => serve({ settings: { server: { port: 0 } } }),
    () => createSpillway({ settings: { summarizer: 'model', summarizerModel } }),
  ])
    await (async () => open())().then(() => console.log('opened'), said);`;
const SAID = ['@langchain/core', '', 'fastify', 'ai'].map((name) =>
  name ? `PACKAGE_VERSION ${name}` : 'opened',
);

/** Bundles for Node without optional packages: missing ones are resolved only at run time. */
export async function checkBundles({ folder }: Packed): Promise<string[]> {
  const project = join(folder, 'bare');
  const doors = DOORS.filter((door) => door !== 'spillway/opentelemetry');
  try {
    buildSync({
      stdin: {
        contents: doors.map((door, at) => `export * as d${at} from '${door}';`).join('\n'),
        resolveDir: project,
      },
      absWorkingDir: project,
      bundle: true,
      platform: 'node',
      format: 'esm',
      write: false,
      logLevel: 'silent',
    });
    return [];
  } catch (error) {
    return (error as { errors: { text: string }[] }).errors.map(({ text }) => `bundle: ${text}`);
  }
}
