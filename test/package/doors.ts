import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { copyOf, installed, program, ROOT, type Packed, type Ran } from './project.js';

const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { exports: object };
/** `spillway`, `spillway/spi`, ... */
export const DOORS = Object.keys(exports)
  .filter((path) => path !== './package.json')
  .map((path) => `spillway${path.slice(1)}`);

/** The only packages that npm may install with the package. */
const BROUGHT = ['@inversifyjs', 'inversify', 'reflect-metadata', 'rxjs', 'spillway', 'tslib', 'zod'];

/** Entry points that need packages which the package does not bring. */
const WANTING: Readonly<Record<string, readonly string[]>> = {
  'spillway/opentelemetry': ['@opentelemetry/api'],
  'spillway/server': ['fastify'],
};

/** Loads every entry point as a module (without optional packages also by require); errors name missing packages. */
export async function checkDoors(packed: Packed): Promise<string[]> {
  const project = installed(packed, 'bare');
  const brought = readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.'));
  const open = DOORS.filter((door) => !(door in WANTING));
  const beside = copyOf(project, packed, 'beside', Object.values(WANTING).flat());
  return [
    ...expected(
      'all',
      program(beside, 'all.mjs', imports(DOORS)),
      `${DOORS.length} doors, one SpillwayError`,
    ),
    ...(brought.join() === BROUGHT.join() ? [] : [`installed: ${brought.join(', ')}`]),
    ...expected(
      'import',
      program(project, 'import.mjs', imports(open)),
      `${open.length} doors, one SpillwayError`,
    ),
    ...expected('require', program(project, 'require.cjs', requires(open)), `${open.length} doors`),
    ...expected('stores', program(project, 'stores.mjs', STORES), STORES_SAY),
    ...expected('configuration', configured(project), '0.5 file own.yaml'),
    ...expected('summarizer', program(project, 'summarizer.mjs', SUMMARIZER), 'asked, and heard'),
    ...expected('README', readme(project), '1,3 3'),
    ...uncaught(project),
  ];
}

/** Classes are the same through all entry points, so `instanceof` works with an error class of any of them. */
const imports = (doors: readonly string[]): string => `
  const doors = await Promise.all(${JSON.stringify(doors)}.map((door) => import(door)));
  if (doors.some((door) => Object.keys(door).length === 0 && door !== doors.at(-1))) throw new Error('an empty door');
  const { createSpillway, SpillwayError } = await import('spillway');
  const { compactAnthropic } = await import('spillway/anthropic');
  const spillway = await createSpillway({ inputBudget: 2_000 });
  const session = spillway.session({ format: 'openai-chat' });
  const caught = [];
  for (const wrong of [() => compactAnthropic({ messages: { create() {} } }, session).messages.create({ messages: [] }), () => spillway.session().append({ id: 1 })]) {
    try { await wrong(); } catch (error) { caught.push(error); }
  }
  const one = caught.length > 0 && caught.every((error) => error instanceof SpillwayError);
  console.log(doors.length + ' doors, ' + (one ? 'one SpillwayError' : 'errors of ' + caught.map((error) => error.constructor.name + ' ' + error.message)));`;

const requires = (doors: readonly string[]): string => `
  const doors = ${JSON.stringify(doors)}.map((door) => require(door));
  console.log(doors.length + ' doors');`;

const STORES = `
  import { openStore } from 'spillway';
  for (const url of ['memory:', 'sqlite:./a.db', 'postgres://localhost/a'])
    await openStore(url).then((store) => console.log(store.name), (error) => console.log(error.code, error.message.match(/npm install [^.]+/)[0]));`;
const STORES_SAY = `memory
PACKAGE_MISSING npm install libsql@0
PACKAGE_MISSING npm install pg@8`;

/** A program with a summarizer, which loads breakers and prompts. */
const SUMMARIZER = `
  import { createSpillway, openaiChat } from 'spillway';
  let asked = 0;
  const summarize = async () => (asked++, { text: 'A mill was built in the river, with a gate of oak.', model: 's', finishReason: 'stop', toolCalls: 0 });
  const spillway = await createSpillway({
    inputBudget: 4_000,
    summarizer: { name: 's', endpoint: 's', summarize },
    settings: { roster: ['full'], counter: 'heuristic' },
  });
  const session = spillway.session();
  const talk = Array.from({ length: 30 }, (_, at) => [
    { role: 'user', content: 'Question ' + at + ': how does the mill turn in the river? '.repeat(8) },
    { role: 'assistant', content: 'Answer ' + at + ': by its wheel. '.repeat(8) },
  ]).flat();
  await session.append(...openaiChat.parse([...talk, { role: 'user', content: 'And now?' }]).messages);
  const { messages } = await session.prepare();
  console.log(asked > 0 ? 'asked,' : 'not asked,', JSON.stringify(messages).includes('gate of oak') ? 'and heard' : 'and not heard');`;

/** Node prints the line that threw an uncaught error: it must be short, so that the error below it is found. */
function uncaught(project: string): string[] {
  const text = `import { createSpillway } from 'spillway';
    const spillway = await createSpillway({ model: 'gpt-4o' });
    await spillway.session().append({ id: 'm1', role: 'user', parts: [] });`;
  const { err, status } = program(project, 'uncaught.mjs', text);
  const told = 'MESSAGE_INVALID: origin of message m1; found nothing; allowed: user, model';
  const isShort = err.split('\n').every((line) => line.length <= LONGEST_LINE);
  if (status === 1 && isShort && err.includes(told)) return [];
  return [`an uncaught error: ${err.slice(0, 300)} … of ${err.length} characters (exit ${status})`];
}

/** The most characters of a line that an uncaught error prints. */
const LONGEST_LINE = 400;

/** Reads a file of settings, whose parser is loaded only then. */
function configured(project: string): Ran {
  writeFileSync(join(project, 'own.yaml'), '# half\ntarget: 0.5\n');
  const text = `import { createSpillway } from 'spillway';
    const { config } = await createSpillway({ configFile: 'own.yaml' });
    console.log(config.settings.target, config.origin('target'));`;
  return program(project, 'configured.mjs', text);
}

/** The program of README's section "As a library". */
export function readmeProgram(): string {
  const blocks = [...readFileSync(join(ROOT, 'README.md'), 'utf8').matchAll(/^```ts\n(.*?)^```/gms)];
  return blocks.map(([, block]) => block!).find((block) => block.includes('session.prepare()'))!;
}

/** The README's program with a client that answers. */
function readme(project: string): Ran {
  const plain = ts
    .transpileModule(readmeProgram().replace('const client = new OpenAI();', ''), {
      compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
    })
    .outputText.replace('sqlite:./spillway.db', 'memory:');
  return program(
    project,
    'readme.mjs',
    `${plain}
    const sent = [];
    const reply = { usage: { prompt_tokens: 12 }, choices: [{ message: { role: 'assistant', content: 'To the sea.' } }] };
    const client = { chat: { completions: { create: async (body) => (sent.push(body.messages.length), reply) } } };
    const history = [{ role: 'user', content: 'Where does the river go?' }];
    history.push(await call({ messages: history }), { role: 'user', content: 'And then?' });
    await call({ messages: history });
    console.log(sent.join(), session.log.length);`,
  );
}

export function expected(what: string, { out, err, status }: Ran, wanted: string): string[] {
  if (out.trim() === wanted && status === 0) return [];
  return [`${what}: ${out.trim()} ${err.trim()} (exit ${status})`.replaceAll('\n', '\n         ')];
}
