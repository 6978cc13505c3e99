import { join } from 'node:path';
import { SpillwayError } from '../../../errors/index.js';
import { formatNamed } from '../../../formats/index.js';
import { readSession } from '../../importers/index.js';
import { replaySession, type Message } from '../../../index.js';
import { closeAfter, openFor, type PolicyOptions } from '../open.js';
import { usageFault } from '../options.js';
import { refuseOverwrite, requestLines, writeReport, writeResult } from '../output.js';
import { replayReport, replayTable } from '../report/replay.js';
import { createProgress } from '../progress.js';
import { EXIT, type Terminal } from '../terminal.js';

export interface ReplayOptions extends PolicyOptions {
  readonly contextsAt?: readonly number[];
}

/** Replays a session and prepares every model call. A call that cannot fit is reported, and the replay continues. */
export async function replay(file: string, options: ReplayOptions, terminal: Terminal): Promise<number> {
  if (options.to !== undefined) formatNamed(options.to); // a wrong name is reported before anything is read
  refuseOverwrite(file, options.out, options.report);
  const input = await readSession(file, { format: options.format });
  const { messages } = input.parsed;
  const wanted = new Set(options.contextsAt ?? []);
  for (const index of wanted) {
    if (messages[index]?.role === 'assistant') continue;
    throw new SpillwayError('INPUT_INDEX', {
      subject: '--contexts-at',
      found: `${index} (${messages[index] ? `a ${messages[index].role} message` : 'no such message'})`,
      allowed: `indexes of assistant messages, 0 to ${messages.length - 1}${nearestTo(index, messages)}`,
      remedy: 'Indexes count messages from 0, without the meta line.',
    });
  }
  if (wanted.size > 0 && options.out === undefined)
    throw usageFault('--out', 'nothing', 'a folder, where what --contexts-at asks for is written');
  if (wanted.size === 0 && options.out !== undefined)
    throw usageFault('--contexts-at', 'nothing', 'indexes of assistant messages, whose contexts go to --out');
  const contextFile = (index: number): string => join(options.out!, `context-${index}.json`);
  refuseOverwrite(file, ...[...wanted].map(contextFile));
  const opened = await openFor(input, options, terminal);
  return closeAfter([opened], async () => {
    const { session, messagesField, warnings } = opened;
    const progress = createProgress(terminal, messages.length, 'replaying');
    const calls = [];
    for await (const call of replaySession(session, messages)) {
      progress.at(call.index);
      if (wanted.has(call.index) && call.prepared) {
        writeResult(
          requestLines(call.prepared.messages, messagesField, call.prepared.beside),
          contextFile(call.index),
          terminal,
        );
      }
      // The requests are not kept, because a replay of a long session would hold every request in memory.
      const { prepared, ...kept } = call;
      calls.push(kept);
    }
    progress.done();
    const report = replayReport({ file, input, calls, session, warnings });
    writeReport(report, () => replayTable(report, terminal.paint), options, terminal);
    return EXIT.done;
  });
}

/** The index of the assistant message nearest to an index. */
function nearestTo(index: number, messages: readonly Message[]): string {
  const own = messages.flatMap(({ role }, at) => (role === 'assistant' ? [at] : []));
  const [nearest] = own.sort((a, b) => Math.abs(a - index) - Math.abs(b - index));
  return nearest === undefined ? '' : `; the nearest is ${nearest}`;
}
