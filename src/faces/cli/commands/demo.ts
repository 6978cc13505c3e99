import { existsSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { SpillwayError } from '../../../errors/index.js';
import { readSession } from '../../importers/index.js';
import { createSpillway, packageFolder, replaySession, type ReplayedCall } from '../../../index.js';
import type { Running } from '../../server/index.js';
import { closing, type Closable } from '../open.js';
import { amount, change, percent, plainTable } from '../report/numbers.js';
import { replayReport, totalLines } from '../report/replay.js';
import { EXIT, type Terminal } from '../terminal.js';
import { server, stopped } from './serve.js';

export interface DemoOptions {
  readonly window?: number;
  /** Replay into a running service, and leave it up. */
  readonly serve?: boolean;
}

/** Small enough that every stage of the roster gets to work on the bundled session; a test holds this. */
export const DEMO_WINDOW = 5_000;

/** Replays the bundled session under a small window and shows the gates at work, a line for each compaction. */
export async function demo(options: DemoOptions, terminal: Terminal): Promise<number> {
  const file = join(packageFolder(), 'examples', 'sessions', 'pressure-gauge.jsonl');
  if (!existsSync(file)) {
    throw new SpillwayError('INPUT_UNREADABLE', {
      subject: file,
      found: 'no such file',
      remedy: 'Install the package whole; the bundled session is part of it.',
    });
  }
  const input = await readSession(file);
  const inputBudget = options.window ?? DEMO_WINDOW;
  const spillway = await createSpillway({ store: null, env: terminal.env, inputBudget });
  const opened: Closable[] = [spillway];
  return closing(opened, async () => {
    const service = options.serve === true ? await startService(inputBudget, terminal) : undefined;
    if (service) opened.push(service);
    if (service) terminal.err(`The Compactor page: ${service.url}\n`);
    const session = service ? await service.session('demo') : spillway.session({});
    const gates = spillway.stages
      .filter((stage) => stage.opensAt !== undefined)
      .map(({ name, opensAt }) => ({ name, opensAt: opensAt! }));
    const totals = new Map<string, StageTotals>();
    const { messages } = input.parsed;
    const asked = messages.filter(({ role }) => role === 'assistant').length;
    const budget = amount(session.reading.budget.tokens);
    const opens = gates.map(({ name, opensAt }) => `${name} ${Math.round(opensAt * 100)} %`);
    terminal.note(
      `${terminal.paint.bold('spillway')} keeps a recorded session of ${asked} model calls inside ${budget} tokens`,
    );
    terminal.note(`gates: ${opens.join('   ')}\n`);
    const calls = [];
    for await (const call of replaySession(session, messages)) {
      const compaction = compactionOf(call);
      for (const stage of compaction?.stages ?? [])
        totals.set(stage.stage, sum(stage, totals.get(stage.stage)));
      const line = compactionLine(call, compaction);
      if (line !== undefined) terminal.note(line);
      const { prepared, ...kept } = call;
      // What nobody reports is not kept, and the service would have no call to show.
      if (service && prepared) await session.observe({ inputTokens: call.tokens, outputTokens: 0 });
      calls.push(kept);
    }
    const report = replayReport({ file, input, calls, session });
    const lines = [stageTable(gates, totals), '', ...totalLines({ ...report.totals, stages: {} })];
    terminal.err(['', ...lines, '', ...nextSteps(file), ''].join('\n'));
    if (!service) return EXIT.done;
    terminal.err(`${serviceLines(service.url).join('\n')}\n`);
    await stopped();
    return EXIT.done;
  });
}

interface Gate {
  readonly name: string;
  readonly opensAt: number;
}

/** A run that was committed. */
type Compaction = NonNullable<ReturnType<typeof compactionOf>>;
/** One stage in a compaction, or in all of them: how often it acted and what that did to the view. */
type StageTotals = Compaction['stages'][number];

/** What a call compacted, if it did. */
function compactionOf({ prepared }: ReplayedCall) {
  if (prepared?.run.kind !== 'committed') return undefined;
  const { run, reading } = prepared;
  const stages = run.stages
    .filter(({ edits }) => edits > 0)
    .map(({ stage, edits, before, after }) => ({
      stage,
      runs: 1,
      edits,
      /** Of the view; below 0 where it became smaller. */
      tokens: after.tokens - before.tokens,
    }));
  // The pressure that started it, and the stages that did something.
  return { before: (run.stages[0]?.before.tokens ?? reading.tokens) / reading.budget.tokens, stages };
}

/** What one call came to; nothing where nothing was compacted. */
function compactionLine(call: ReplayedCall, compaction: Compaction | undefined): string | undefined {
  const at = `message ${String(call.index).padStart(4)}`;
  if (call.error) return `${at}  ${percent(call.pressure).padStart(7)}  ${call.error.code}`;
  if (!compaction) return undefined;
  const stages = compaction.stages.map(({ stage, tokens }) => `${stage} ${change(tokens)}`);
  const pressure = `${percent(compaction.before).padStart(7)} -> ${percent(call.pressure).padStart(6)}`;
  return `${at}  ${pressure}  ${stages.join('  ')}`;
}

/** On the usual port, or on any that is free where somebody has that one. */
async function startService(window: number, terminal: Terminal): Promise<Running> {
  const { serve } = await server();
  const start = (port?: number): Promise<Running> =>
    serve({
      env: terminal.env,
      store: 'memory:',
      settings: { window, reserve: { output: 0 }, ...(port !== undefined && { server: { port } }) },
    });
  return start().catch((error: Error) => {
    if ((error.cause as NodeJS.ErrnoException | undefined)?.code !== 'EADDRINUSE') throw error;
    terminal.note('The usual port is taken, so another one is used.');
    return start(0);
  });
}

function serviceLines(url: string): string[] {
  return [
    `The page and the service are up at ${url}, with this session in them, until you press Ctrl+C:`,
    `  curl -s '${url}/api/v1/sessions/demo/compactions?limit=1'`,
    `  Any OpenAI-style client is compacted with the base URL ${url}/v1, any Anthropic-style one with ${url}.`,
    '',
  ];
}

function sum(one: StageTotals, other?: StageTotals): StageTotals {
  if (!other) return one;
  const { stage, runs, edits, tokens } = one;
  return { stage, runs: runs + other.runs, edits: edits + other.edits, tokens: tokens + other.tokens };
}

/** The roster in order, then what the pipeline did by itself. */
function stageTable(gates: readonly Gate[], totals: ReadonlyMap<string, StageTotals>): string {
  const opensAt = new Map(gates.map((gate) => [gate.name, gate.opensAt]));
  const rows = [...new Set([...opensAt.keys(), ...totals.keys()])].map((stage) => {
    const { runs, edits, tokens } = totals.get(stage) ?? { runs: 0, edits: 0, tokens: 0 };
    const gate = opensAt.get(stage);
    return [stage, gate === undefined ? '' : percent(gate), runs, edits, change(tokens)];
  });
  return plainTable(['stage', 'opens at', 'runs', 'edits', 'tokens'], rows);
}

/** Commands that work where they are read: a checkout has no `spillway` on the path. */
function nextSteps(session: string): string[] {
  const here = (path: string): string => relative(process.cwd(), path) || '.';
  const folder = packageFolder();
  const isCheckout = !folder.split(sep).includes('node_modules');
  const command = isCheckout ? `node ${here(join(folder, 'dist', 'cli', 'spillway.js'))}` : 'npx spillway';
  const file = here(session);
  return [
    'What to do next, with this session or one of yours:',
    `  ${command} compact ${file} --window 32000 --out request.json`,
    `  ${command} replay ${file} --window 32000`,
    `  ${command} stages`,
    `  ${here(join(folder, 'README.md'))} shows the library in ten lines`,
  ];
}
