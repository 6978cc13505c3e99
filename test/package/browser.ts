import { buildSync } from 'esbuild';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import type { Packed } from './project.js';

/** Globals that a page and a worker also have; none of them is Node's own. */
const COMMON = [
  'AbortController',
  'AbortSignal',
  'Blob',
  'DOMException',
  'DecompressionStream',
  'Event',
  'EventTarget',
  'Response',
  'TextDecoder',
  'TextEncoder',
  'URL',
  'clearTimeout',
  'console',
  'crypto',
  'performance',
  'queueMicrotask',
  'setTimeout',
  'structuredClone',
];

/** Keeps a session, compacts it, recalls, reads a file; uses of a disk or a server fail with their error code. */
const PROGRAM = `
  import { createSpillway, openaiChat, openStore, replaySession, SpillwayError } from 'spillway';
  import { readSession } from 'spillway/importers';
  const codeOf = (work) => work.then(() => 'none', (error) => (error instanceof SpillwayError ? error.code : String(error)));
  globalThis.run = async () => {
    const spillway = await createSpillway({ inputBudget: 4_000, profile: 'operator', settings: { counter: 'heuristic' } });
    const session = spillway.session();
    const talk = Array.from({ length: 60 }, (_, at) => [
      { role: 'user', content: 'Question ' + at + ': how does the mill turn in the river? '.repeat(8) },
      { role: 'assistant', content: 'Answer ' + at + ': by its wheel. '.repeat(8) },
    ]).flat();
    const file = new Blob([talk.map((message) => JSON.stringify(message)).join('\\n')]);
    const { parsed } = await readSession(file);
    const sent = [];
    for await (const { tokens } of replaySession(session, parsed.messages)) sent.push(tokens);
    const found = await session.recall({ query: 'wheel' });
    return [
      sent.length,
      sent.every((tokens) => tokens <= 4_000) && session.operator.history.length > 1,
      found.length > 0,
      await codeOf(openStore('sqlite:./a.db')),
      await codeOf(openStore('postgres://localhost/a')),
      await codeOf(readSession('/session.jsonl')),
      await codeOf(createSpillway({ profile: 'nobody' })),
    ].join();
  };`;
const SAID = '60,true,true,STORE_UNKNOWN,STORE_UNKNOWN,INPUT_UNREADABLE,PROFILE_UNKNOWN';

/** Bundles for a browser as a user would, without a plugin: no Node module is left, and no global of Node is used. */
export async function checkBrowser({ folder }: Packed): Promise<string[]> {
  const project = join(folder, 'bare');
  const { metafile, outputFiles } = buildSync({
    stdin: { contents: PROGRAM, resolveDir: project },
    absWorkingDir: project,
    bundle: true,
    platform: 'browser',
    format: 'iife',
    define: { 'import.meta.url': '"https://page.example/assets/index.js"' },
    logOverride: { 'ignored-bare-import': 'silent' },
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  const left = Object.values(metafile.inputs)
    .flatMap(({ imports }) => imports.filter(({ external }) => external === true))
    .map(({ path }) => path);
  const ofNode = left.filter((path) => isBuiltin(path) || path.startsWith('#'));
  if (ofNode.length > 0) return [`a browser's bundle wants ${[...new Set(ofNode)].join(', ')}`];
  const ports: { close(): void }[] = [];
  class Channel extends MessageChannel {
    constructor() {
      super();
      ports.push(this.port1, this.port2); // a listening port keeps this process alive
    }
  }
  const globals = COMMON.map((name) => [name, (globalThis as Record<string, unknown>)[name]]);
  const page: { run?: () => Promise<string> } = { ...Object.fromEntries(globals), MessageChannel: Channel };
  createContext(page);
  runInContext(outputFiles[0]!.text, page);
  const said = await page.run!();
  ports.forEach((port) => port.close());
  return said === SAID ? [] : [`in a browser: ${said}, not ${SAID}`];
}
