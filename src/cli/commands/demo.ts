import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { SpillwayError } from '../../errors/index.js';
import { readSession } from '../../formats/index.js';
import { createSpillway, packageFolder, replaySession } from '../../index.js';
import { EXIT } from '../exit.js';
import { createLiveView } from '../live.js';
import { replayReport, replayTable } from '../report/replay.js';
import type { Terminal } from '../terminal.js';

export interface DemoOptions {
  readonly window?: number;
  readonly fast?: boolean;
}

/** Small enough that every stage of the roster gets to work on the bundled session. */
const DEMO_WINDOW = 12_000;

/** Long enough to see what happens, short enough to watch to the end. */
const FRAME_MS = 25;

/** Replays the bundled session under a small window and shows the gates at work. */
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
  const spillway = await createSpillway({ env: terminal.env, inputBudget: options.window ?? DEMO_WINDOW });
  const session = spillway.session({});
  const gates = spillway.stages
    .filter((stage) => stage.opensAt !== undefined)
    .map(({ name, opensAt }) => ({ name, opensAt: opensAt! }));
  const live = createLiveView(terminal, {
    gates,
    budget: session.reading.budget.tokens,
    calls: input.parsed.messages.filter(({ role }) => role === 'assistant').length,
  });
  const watching = terminal.interactive && !options.fast;
  session.events.subscribe((event) => live.event(event));
  const calls = [];
  for await (const call of replaySession(session, input.parsed.messages)) {
    live.call(call);
    const { prepared, ...kept } = call;
    calls.push(kept);
    if (watching) await pause(FRAME_MS);
  }
  live.done();
  const report = replayReport({ file: 'the bundled session', input, calls, session });
  terminal.err(`\n${replayTable(report, terminal.paint)}`);
  terminal.err(
    [
      '',
      'What to do next:',
      '  npx spillway compact FILE --window 32000     one request, compacted, on stdout',
      '  npx spillway replay FILE --window 32000      what would have happened, call by call',
      '  npx spillway stages                          the six stages and their knobs',
      '  README.md                                    use it as a library in ten lines',
      '',
    ].join('\n'),
  );
  return EXIT.done;
}
