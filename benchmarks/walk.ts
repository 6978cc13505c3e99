/**
 * The path of one request through the code: which files it enters, in which order, and how often it changes floors. It
 * writes a copy of `src` with a call at the entry of each function, warms it by three requests, and traces a fourth.
 *
 *   npm run walk [-- --compacts] [-- --counts]
 *
 * `--compacts`: a request that compacts instead of a quiet one. `--counts`: the figures of both, without the routes.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import ts from 'typescript';
import type * as library from '../src/index.js';

const { values: flags } = parseArgs({
  options: { compacts: { type: 'boolean' }, counts: { type: 'boolean' } },
});
const COPY = resolve('.cache/walk');

type Library = typeof library;
type Entered = { entered?: ((file: string) => void) | undefined };

/** The source as JavaScript that reports every function that is entered. */
function traced(file: string): string {
  const text = ts.transpileModule(readFileSync(join('src', file), 'utf8'), {
    compilerOptions: {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      experimentalDecorators: true,
      emitDecoratorMetadata: true,
    },
  }).outputText;
  const calls: (readonly [at: number, text: string])[] = [];
  const tell = `globalThis.entered?.(${JSON.stringify(file)})`;
  const visit = (node: ts.Node): void => {
    const { body } = node as { body?: ts.Node };
    if (ts.isFunctionLike(node) && body) {
      if (ts.isBlock(body)) calls.push([body.getStart() + 1, `${tell};`]);
      else calls.push([body.getStart(), `(${tell},(`], [body.end, '))']);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  return calls
    .toSorted((a, b) => b[0] - a[0])
    .reduce((out, [at, call]) => out.slice(0, at) + call + out.slice(at), text);
}

function writeCopy(): void {
  rmSync(COPY, { recursive: true, force: true });
  for (const file of readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  )) {
    const to = join(COPY, 'dist', file.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, traced(file));
  }
  cpSync('config', join(COPY, 'config'), { recursive: true });
  cpSync('package.json', join(COPY, 'package.json'));
  symlinkSync(relative(COPY, 'node_modules'), join(COPY, 'node_modules'));
}

const step = (at: number, lines: number): readonly object[] => [
  {
    role: 'assistant',
    content: `I look at file ${at}.`,
    tool_calls: [
      { id: `c${at}`, type: 'function', function: { name: 'bash', arguments: `{"command":"cat ${at}.ts"}` } },
    ],
  },
  {
    role: 'tool',
    tool_call_id: `c${at}`,
    content: `export const n${at} = ${at};\n`.repeat(lines),
  },
];

async function filesEntered(compacts: boolean): Promise<string[]> {
  const { createSpillway } = (await import(join(COPY, 'dist/index.js'))) as Library;
  const session = (await createSpillway({ inputBudget: compacts ? 4_000 : 16_000 })).session();
  const messages: object[] = [{ role: 'user', content: 'Read the files, then mend what is wrong.' }];
  const ask = async (): Promise<string> => {
    await session.follow({ messages: structuredClone(messages) });
    return (await session.prepare()).run.kind;
  };
  let at = 0;
  // Each iteration is one more step of the agent; the last step is traced.
  for (const until = compacts ? 100 : 4; at < until; at++) {
    messages.push(...step(at, compacts ? 60 : 2));
    const order = new Set<string>();
    (globalThis as Entered).entered = (file) => void order.add(file);
    const kind = await ask();
    (globalThis as Entered).entered = undefined;
    if (compacts ? kind === 'committed' : at === until - 1) return [...order];
  }
  throw new Error('no function was traced');
}

const floorOf = (file: string): string => file.split('/')[0]!;

writeCopy();
for (const compacts of flags.counts ? [false, true] : [flags.compacts === true]) {
  const files = await filesEntered(compacts);
  const changes = files.filter((file, at) => at > 0 && floorOf(file) !== floorOf(files[at - 1]!)).length;
  if (!flags.counts) for (const file of files) console.log(`src/${file}`);
  const which = compacts ? 'compacting' : 'quiet';
  console.log(`${which}: ${files.length} files, ${changes} changes of floor, in the order of first visits`);
}
