/**
 * Sends every session of a folder in every wire format, at every window, at each call of the agent: would the provider
 * accept the request? And after chains of forced compactions?
 *
 *   npx tsx benchmarks/formats.ts [--formats anthropic,openai-chat] [--sessions DIR] [--windows 8000,32000]
 *                                 [--only ID] [--chains 1,3,10,34] [--profile NAME] [--verbose]
 */
import { parseArgs } from 'node:util';
import { createSpillway, replaySession, SpillwayError, type Session, type Spillway } from '../src/index.js';
import { formats } from '../src/formats/index.js';
import { validators, type WireValidator } from '../src/testkit/index.js';
import { saveResult } from './support/provenance.js';
import { CORPUS, sessionsOf, type BenchSession } from './support/sessions.js';

const { values: flags } = parseArgs({
  options: {
    formats: {
      type: 'string',
      default: [...formats.keys()].filter((name) => validators.has(name)).join(','),
    },
    sessions: { type: 'string', default: CORPUS },
    windows: { type: 'string', default: '8000,16000,32000,64000' },
    chains: { type: 'string', default: '1,3,10,34' },
    only: { type: 'string' },
    profile: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
});

interface Tally {
  sessions: number;
  requests: number;
  invalid: number;
  compactions: number;
  /** Calls whose floor did not fit: the typed error reports it, and nothing is sent. */
  unreachable: number;
  crashes: number;
  prepareMs: number;
  problems: string[];
}

const emptyTally = (): Tally => ({
  sessions: 0,
  requests: 0,
  invalid: 0,
  compactions: 0,
  unreachable: 0,
  crashes: 0,
  prepareMs: 0,
  problems: [],
});

interface Judge {
  readonly validate: WireValidator;
  readonly messagesField: string;
}

interface Sent {
  readonly messages: readonly unknown[];
  readonly beside: Readonly<Record<string, unknown>>;
}

function judge(
  { messages, beside }: Sent,
  { validate, messagesField }: Judge,
  where: string,
  tally: Tally,
): void {
  tally.requests++;
  // A format without a messages field is a bare list.
  const request = messagesField === '' ? messages : { ...beside, [messagesField]: messages };
  const [fault] = validate(request);
  if (!fault) return;
  tally.invalid++;
  tally.problems.push(`${where}: ${fault.rule} at ${fault.at}: ${fault.what}`);
}

function note(error: unknown, where: string, tally: Tally): void {
  if (error instanceof SpillwayError && error.code === 'BUDGET_UNREACHABLE') {
    tally.unreachable++;
    return;
  }
  tally.crashes++;
  tally.problems.push(`${where}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
}

async function replayOnce(spillway: Spillway, input: BenchSession, how: Judge, where: string, tally: Tally) {
  const session = spillway.session();
  try {
    for await (const call of replaySession(session, input.messages)) {
      // A session that begins with the assistant has no call before its first message.
      if (call.index === 0) continue;
      tally.prepareMs += call.durationMs;
      if (call.prepared) judge(call.prepared, how, `${where} call ${call.index}`, tally);
      else note(call.error, `${where} call ${call.index}`, tally);
    }
  } catch (error) {
    note(error, where, tally);
  }
  tally.compactions += session.operator.history.length;
}

/** Divides the session into portions at the agent's calls, and forces a compaction after each portion. */
async function chainOnce(
  spillway: Spillway,
  input: BenchSession,
  chain: number,
  how: Judge,
  where: string,
  tally: Tally,
): Promise<void> {
  const session: Session = spillway.session();
  try {
    for (const [i, portion] of portionsOf(input, chain).entries()) {
      session.append(...portion);
      await session.operator.compact({ target: DEPTH * Math.min(1, session.reading.pressure) });
      judge(await session.prepare(), how, `${where} after ${i + 1}`, tally);
    }
  } catch (error) {
    note(error, where, tally);
  }
  tally.compactions += session.operator.history.length;
}

/** The target of each compaction of a chain, as a share of the reading. */
const DEPTH = 0.6;

function portionsOf({ messages }: BenchSession, count: number): (typeof messages)[] {
  const portions: (typeof messages)[] = [];
  let from = 0;
  for (let i = 1; i <= count && from < messages.length; i++) {
    let to = Math.max(from + 1, Math.ceil((i * messages.length) / count));
    while (to < messages.length && messages[to]!.role !== 'assistant') to++;
    portions.push(messages.slice(from, to));
    from = to;
  }
  return portions;
}

const windows = flags.windows.split(',').map(Number);
const chains = flags.chains === '' ? [] : flags.chains.split(',').map(Number);
const results: Record<string, Record<string, Tally>> = {};
let faults = 0;
for (const name of flags.formats.split(',')) {
  const format = formats.get(name);
  const validate = validators.get(name);
  if (!format || !validate) throw new Error(`no format or no validator is called ${name}`);
  const how: Judge = { validate, messagesField: format.messagesField };
  for (const window of windows) {
    const spillway = await createSpillway({
      inputBudget: window,
      format,
      ...(flags.profile !== undefined && { profile: flags.profile }),
    });
    const tallies: Record<string, Tally> = {};
    for await (const input of sessionsOf(flags.sessions, flags.only)) {
      const replay = (tallies['replay'] ??= emptyTally());
      replay.sessions++;
      await replayOnce(spillway, input, how, `${name} ${window} ${input.id}`, replay);
      for (const chain of chains) {
        const tally = (tallies[`chain of ${chain}`] ??= emptyTally());
        tally.sessions++;
        await chainOnce(spillway, input, chain, how, `${name} ${window} ${input.id} chain ${chain}`, tally);
      }
    }
    results[`${name} ${window}`] = tallies;
    for (const [what, tally] of Object.entries(tallies)) {
      faults += tally.invalid + tally.crashes;
      console.log(
        `${name.padEnd(18)} ${String(window).padStart(6)} ${what.padEnd(11)} ${tally.sessions} sessions, ` +
          `${tally.requests} requests: ${tally.invalid} invalid, ${tally.unreachable} unreachable, ` +
          `${tally.crashes} crashes, ${tally.compactions} compactions`,
      );
      if (flags.verbose) for (const problem of tally.problems.slice(0, 20)) console.log(`    ${problem}`);
    }
  }
}
const short = flags.only !== undefined || windows.length < 4;
const file = saveResult(
  short ? 'formats-short' : 'formats',
  `npx tsx benchmarks/formats.ts ${process.argv.slice(2).join(' ')}`.trim(),
  results,
);
console.log(`written to ${file}`);
if (faults > 0) process.exitCode = 1;
