/**
 * The results of compaction runs over every session of a folder: how full they leave a request and why, how many
 * commit, and how many start in vain. Trust counts and shares; times are CPU time of all threads, per tokenizer pass.
 *
 *   npm run bench:runs -- [--sessions DIR] [--windows 8000,16000,32000,64000] [--only ID] [--profile NAME] [--each FILE]
 *
 * `--each` writes every run as a line of JSON.
 */
import { createWriteStream } from 'node:fs';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { createSpillway, replaySession, type ReplayedCall } from '../src/index.js';
import type { ViewMessage } from '../src/transcript/index.js';
import { provenance, saveResult } from './support/provenance.js';
import { CORPUS, sessionsOf, type BenchSession } from './support/sessions.js';
import { cpuNow, textsOf, tokenizerPass } from './support/tokenizer.js';

const { values: flags } = parseArgs({
  options: {
    sessions: { type: 'string', default: CORPUS },
    windows: { type: 'string', default: '8000,16000,32000,64000' },
    only: { type: 'string' },
    profile: { type: 'string' },
    each: { type: 'string' },
  },
});

/** The pressure after a committed run above which the benchmark records why the request is still full. */
const HIGH = 0.7;

/** The composition of a request, as shares of the budget. */
interface Make {
  readonly pins: number;
  /** Messages since the model's last one, with the calls that they answer: no stage may remove them. */
  readonly fresh: number;
  readonly digests: number;
  readonly rest: number;
}

interface Run {
  readonly session: string;
  readonly call: number;
  readonly kind: 'committed' | 'noop' | 'unreachable';
  /** The reason of a run that committed nothing. */
  readonly cause?: string;
  readonly before: number;
  readonly after: number;
  readonly stages: string;
  readonly ms: number;
  readonly make: Make;
}

interface Tally {
  calls: number;
  readonly runs: Run[];
  readonly quietMs: number[];
  prepareMs: number;
  tokens: number;
  tokenizerMs: number;
}

async function replay(session: BenchSession, window: number, tally: Tally): Promise<void> {
  const spillway = await createSpillway({
    inputBudget: window,
    ...(flags.profile && { profile: flags.profile }),
  });
  const texts = textsOf(session.messages);
  tally.tokenizerMs += tokenizerPass(texts).firstMs;
  const thread = spillway.session();
  for await (const call of replaySession(thread, session.messages, cpuNow)) {
    tally.calls++;
    tally.prepareMs += call.durationMs;
    const run = runOf(session.id, call);
    if (run) tally.runs.push(run);
    else tally.quietMs.push(call.durationMs);
  }
  for (let seq = 0; seq < thread.log.length; seq++) tally.tokens += thread.log.at(seq).size.tokens;
}

function runOf(session: string, call: ReplayedCall): Run | undefined {
  const { run, pressure, prepared, durationMs } = call;
  const stages = prepared?.run.stages ?? [];
  if (run === 'below-gate' || run === 'waiting') return undefined;
  const budget = prepared?.reading.budget.tokens ?? Infinity;
  return {
    session,
    call: call.index,
    kind: run as Run['kind'],
    ...(run === 'noop' && { cause: causeOf(call.reason) }),
    before: prepared?.run.record?.plan.inputs.pressure ?? pressure,
    after: pressure,
    stages: stages.map(({ stage, edits }) => `${stage} ${edits}`).join(', '),
    ms: durationMs,
    make: makeOf(prepared?.view ?? [], budget),
  };
}

function causeOf(reason: string): string {
  if (reason.startsWith('would lower')) return 'too little gained';
  if (reason.startsWith('would come down')) return 'too far from the target';
  return reason;
}

function makeOf(view: readonly ViewMessage[], budget: number): Make {
  const make = { pins: 0, fresh: 0, digests: 0, rest: 0 };
  const users = view.filter(({ source }) => source?.role === 'user');
  const spoken = view.findLastIndex(({ source }) => source?.role === 'assistant');
  for (const [index, { source, size }] of view.entries()) {
    const isPin = source?.role === 'system' || (source !== undefined && source === users[0]?.source);
    if (!source) make.digests += size.tokens;
    else if (isPin) make.pins += size.tokens;
    else make[index >= spoken ? 'fresh' : 'rest'] += size.tokens;
  }
  for (const part of Object.keys(make) as (keyof Make)[]) make[part] /= budget;
  return make;
}

const at = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(share * values.length))] ?? NaN;
const round = (value: number, digits = 3): number => Number(value.toFixed(digits));
const mean = (values: readonly number[]): number =>
  round(values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length));

function meanMake(runs: readonly Run[]): Make {
  const of = (part: keyof Make): number => mean(runs.map(({ make }) => make[part]));
  return {
    pins: of('pins'),
    fresh: of('fresh'),
    digests: of('digests'),
    rest: of('rest'),
  };
}

function counted(keys: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const key of keys) counts[key] = (counts[key] ?? 0) + 1;
  return Object.fromEntries(Object.entries(counts).sort(([, a], [, b]) => b - a));
}

const middle = (runs: readonly Run[]): number =>
  round(
    at(
      runs.map(({ ms }) => ms),
      0.5,
    ),
  );

function figuresOf(tally: Tally, window: number) {
  const { runs, calls, quietMs } = tally;
  const committed = runs.filter(({ kind }) => kind === 'committed');
  const empty = runs.filter(({ kind }) => kind === 'noop');
  const after = committed.map((run) => run.after);
  const high = committed.filter((run) => run.after > HIGH);
  const last = ({ stages }: Run): string => stages.split(', ').at(-1)!.split(' ')[0]! || 'none';
  /** One pass of the tokenizer over a full window, derived from its time over all sessions. */
  const windowMs = (tally.tokenizerMs * window) / tally.tokens;
  return {
    calls,
    runs: runs.length,
    commits: committed.length,
    empty: empty.length,
    emptyShare: round(empty.length / Math.max(1, runs.length)),
    emptyBy: counted(empty.map((run) => `${run.cause}, up to ${last(run)}`)),
    unreachable: runs.length - committed.length - empty.length,
    after: { median: round(at(after, 0.5)), p90: round(at(after, 0.9)), most: round(Math.max(0, ...after)) },
    made: meanMake(committed),
    above: { of: HIGH, runs: high.length, made: meanMake(high) },
    commitsBy: counted(committed.map(last)),
    prepareMs: {
      quiet: round(at(quietMs, 0.5)),
      committing: middle(committed),
      empty: middle(empty),
      tokenizerOfWindow: round(windowMs),
      committingOfTokenizer: round(middle(committed) / windowMs),
    },
  };
}

const windows = flags.windows.split(',').map(Number);
const command = `npm run bench:runs -- ${process.argv.slice(2).join(' ')}`.trim();
const loaded = provenance(command);
const isShort = flags.only !== undefined || windows.length < 4 || flags.profile !== undefined;
const each = flags.each === undefined ? undefined : createWriteStream(flags.each);
const results: Record<string, unknown> = {};
let file = '';
for (const window of windows) {
  const tally: Tally = {
    calls: 0,
    runs: [],
    quietMs: [],
    prepareMs: 0,
    tokens: 0,
    tokenizerMs: 0,
  };
  for await (const session of sessionsOf(flags.sessions, flags.only)) await replay(session, window, tally);
  for (const run of tally.runs) each?.write(`${JSON.stringify({ window, ...run })}\n`);
  const figures = figuresOf(tally, window);
  results[window] = { ...figures, load: round(loadavg()[0]!, 1) };
  const { after, above, prepareMs } = figures;
  console.log(
    `${String(window).padStart(7)} ${figures.calls} calls: ${figures.runs} runs, ${figures.commits} commits, ` +
      `${figures.empty} empty (${(100 * figures.emptyShare).toFixed(0)} %); after a commit median ${after.median}, ` +
      `90th ${after.p90}, ${above.runs} above ${HIGH}; ms quiet ${prepareMs.quiet}, committing ${prepareMs.committing}, ` +
      `empty ${prepareMs.empty}, tokenizer over a window ${prepareMs.tokenizerOfWindow}`,
  );
  for (const [cause, count] of Object.entries(figures.emptyBy))
    console.log(`          ${count} empty: ${cause}`);
  console.log(
    `          made of ${JSON.stringify(figures.made)}, above ${HIGH}: ${JSON.stringify(above.made)}`,
  );
  file = saveResult(isShort ? 'runs-short' : 'runs', command, results, loaded);
}
each?.end();
console.log(`written to ${file}`);
