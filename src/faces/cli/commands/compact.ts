import { formatNamed } from '../../../formats/index.js';
import { readSession } from '../../importers/index.js';
import type { RunOverrides } from '../../../index.js';
import { present } from '../../operations/index.js';
import { closeAfter, openFor, type PolicyOptions } from '../open.js';
import { refuseOverwrite, requestLines, writeReport, writeResult } from '../output.js';
import { compactReport, compactTable } from '../report/compact.js';
import { EXIT, type Terminal } from '../terminal.js';

export interface CompactOptions extends PolicyOptions {
  readonly upto?: number;
  /** Settings of this run. If any of these is given, the run takes place regardless of the gates. */
  readonly target?: number;
  readonly threshold?: number;
  readonly strategy?: readonly string[];
  readonly prompt?: string;
  /** False for no summary. */
  readonly summarizer?: boolean;
}

/** Appends all messages, allows one run, and writes the request. */
export async function compact(file: string, options: CompactOptions, terminal: Terminal): Promise<number> {
  if (options.to !== undefined) formatNamed(options.to); // a wrong name is reported before anything is read
  refuseOverwrite(file, options.out, options.report);
  const input = await readSession(file, { format: options.format });
  const all = input.parsed.messages;
  const messages = options.upto === undefined ? all : all.slice(0, options.upto);
  const opened = await openFor(input, options, terminal);
  return closeAfter([opened], async () => {
    const { session, messagesField, warnings } = opened;
    // One by one, because a file may hold more messages than a call can take arguments.
    for (const message of messages) void session.append(message);
    const before = session.reading;
    const overrides = overridesOf(options);
    const forced = Object.keys(overrides).length > 0 ? await session.operator.compact(overrides) : undefined;
    const prepared = await session.prepare();
    const run = forced ?? prepared.run;
    writeResult(requestLines(prepared.messages, messagesField, prepared.beside), options.out, terminal);
    const dispositions = session.operator.explain();
    const costs = session.operator.costs.compactor;
    const report = compactReport({ file, input, before, prepared, run, dispositions, warnings, costs });
    writeReport(report, () => compactTable(report, terminal.paint), options, terminal);
    return EXIT.done;
  });
}

/** Strategy names are not checked here: the session rejects an unknown strategy. */
function overridesOf({ target, threshold, strategy, prompt, summarizer }: CompactOptions): RunOverrides {
  return {
    ...present({ target, threshold, strategy: strategy as RunOverrides['strategy'], prompt }),
    ...(summarizer === false && { summarize: false }),
  };
}
