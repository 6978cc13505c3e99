import { join } from 'node:path';
import { readSession } from '../../importers/index.js';
import { createSpillway, packageFolder, replaySession, type ReplayedCall } from '../../../index.js';
import type { Running } from '../../server/index.js';
import { closeAfter, type Closable } from '../open.js';
import { amount, change, percent } from '../report/numbers.js';
import { replayReport, totalLines } from '../report/replay.js';
import { EXIT, type Terminal } from '../terminal.js';
import { loadServer, untilStopped } from './serve.js';

export interface DemoOptions {
  readonly window?: number;
  /** Replay into a running service, and leave the service running. */
  readonly serve?: boolean;
}

/** Small enough that every stage of the roster works on the bundled session; a test checks this. */
export const DEMO_WINDOW = 5_000;

/** Replays the bundled session with a small window and prints one line per compaction. */
export async function demo(options: DemoOptions, terminal: Terminal): Promise<number> {
  const file = join(packageFolder(), 'examples', 'sessions', 'pressure-gauge.jsonl');
  const input = await readSession(file);
  const inputBudget = options.window ?? DEMO_WINDOW;
  const spillway = await createSpillway({ store: null, env: terminal.env, inputBudget });
  const opened: Closable[] = [spillway];
  return closeAfter(opened, async () => {
    const service = options.serve === true ? await startService(inputBudget, terminal) : undefined;
    if (service) opened.push(service);
    if (service) terminal.err(`The Compactor page: ${service.url}\n`);
    const session = service ? await service.session('demo') : spillway.session({});
    const { messages } = input.parsed;
    const callCount = messages.filter(({ role }) => role === 'assistant').length;
    const gates = spillway.stages.flatMap(({ name, opensAt }) =>
      opensAt === undefined ? [] : [`${name} ${Math.round(opensAt * 100)} %`],
    );
    terminal.note(
      `${terminal.paint.bold('spillway')} keeps a recorded session of ${callCount} model calls inside ${amount(session.reading.budget.tokens)} tokens`,
    );
    terminal.note(`gates: ${gates.join('   ')}\n`);
    const calls = [];
    for await (const call of replaySession(session, messages)) {
      const line = lineOf(call);
      if (line !== undefined) terminal.note(line);
      const { prepared, ...kept } = call;
      // Calls without reported usage are not kept, and the service would have no call to show.
      if (service && prepared) await session.observe({ inputTokens: call.tokens, outputTokens: 0 });
      calls.push(kept);
    }
    const { totals } = replayReport({ file, input, calls, session });
    terminal.err(`\n${totalLines(totals).join('\n')}\n`);
    if (!service) return EXIT.done;
    terminal.err(`${serviceLines(service.url).join('\n')}\n`);
    await untilStopped();
    return EXIT.done;
  });
}

/** One line for a call: the pressure that started its run, and the tokens that its stages freed. Undefined if none. */
function lineOf({ index, pressure, error, prepared }: ReplayedCall): string | undefined {
  const at = `message ${String(index).padStart(4)}`;
  if (error) return `${at}  ${percent(pressure).padStart(7)}  ${error.code}`;
  if (prepared?.run.kind !== 'committed') return undefined;
  const { run, reading } = prepared;
  const before = (run.stages[0]?.before.tokens ?? reading.tokens) / reading.budget.tokens;
  const stages = run.stages
    .filter(({ edits }) => edits > 0)
    .map((stage) => `${stage.stage} ${change(stage.after.tokens - stage.before.tokens)}`);
  return `${at}  ${percent(before).padStart(7)} -> ${percent(pressure).padStart(6)}  ${stages.join('  ')}`;
}

/** Starts the service on the usual port, or on a free one if the usual port is taken. */
async function startService(window: number, terminal: Terminal): Promise<Running> {
  const { serve } = await loadServer();
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
