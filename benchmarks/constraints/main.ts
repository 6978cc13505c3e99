/**
 * After 34 chained compactions, are a user's rules still in view letter for letter, or recalled when he mentions their
 * subject? And are the rules that he took back gone?
 *
 *   npm run bench:constraints -- [--sessions DIR] [--windows 8000,32000] [--count 20] [--only ID] [--verbose]
 *
 * Each session is replayed message by message with 25 planted rules (5 kinds at 5 places) and 7 rules that are taken
 * back. In addition to the compactions that pressure causes, compactions are forced until there are 34.
 */
import { parseArgs } from 'node:util';
import { createSpillway, type Session } from '../../src/index.js';
import { provenance, saveResult } from '../support/provenance.js';
import { CORPUS, sessionsOf, type BenchSession } from '../support/sessions.js';
import { judge, lostOf, type Outcome } from './judge.js';
import { plant, type Rule } from './plant.js';

const { values: flags } = parseArgs({
  options: {
    sessions: { type: 'string', default: CORPUS },
    windows: { type: 'string', default: '8000,16000,32000' },
    count: { type: 'string', default: '20' },
    only: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
});
const CHAIN = 34;
const command = `npm run bench:constraints -- ${process.argv.slice(2).join(' ')}`.trim();
const loaded = provenance(command);

interface Run extends Outcome {
  readonly session: string;
  readonly compactions: number;
  readonly unreachable: number;
  /** The most tokens of summaries after any compaction, as a share of the budget. */
  readonly summaryShare: number;
  /** Missing rules that recall does not bring back when the user mentions their subject. */
  readonly lost: readonly Rule[];
}

/** The longest sessions: only they last for so many compactions. */
async function chosen(): Promise<BenchSession[]> {
  const all: BenchSession[] = [];
  for await (const session of sessionsOf(flags.sessions, flags.only)) all.push(session);
  return all.sort((a, b) => b.messages.length - a.messages.length).slice(0, Number(flags.count));
}

async function replay(input: BenchSession, index: number, window: number): Promise<Run> {
  const planted = plant(input.messages, index);
  const spillway = await createSpillway({ inputBudget: window, settings: { minGain: 0 } });
  const session = spillway.session();
  let summaryShare = 0;
  let unreachable = 0;
  const tokensOf = (label: string): number =>
    session.view.reduce((sum, { message, size }) => sum + (message.label === label ? size.tokens : 0), 0);
  const measure = (): void => {
    summaryShare = Math.max(summaryShare, tokensOf('summary') / window);
  };
  const every = Math.max(1, Math.floor(planted.messages.length / (3 * CHAIN)));
  let since = 0;
  for (const message of planted.messages) {
    if (message.role === 'assistant' && session.log.length > 0) {
      try {
        await session.prepare();
        if (++since >= every && session.operator.history.length < CHAIN)
          since = (await force(session)) ? 0 : since;
        measure();
      } catch {
        unreachable++;
      }
    }
    session.append(message);
  }
  await session.prepare().catch(() => unreachable++);
  // One more compaction, so that the messages after the last one have left too and all rules are judged at the end.
  await force(session, 0.9);
  for (let i = 0; i < CHAIN && session.operator.history.length < CHAIN; i++) {
    await force(session, 0.9 - 0.02 * i);
    measure();
  }
  const compactions = session.operator.history.length;
  const outcome = judge(session, planted);
  const lost = await lostOf(session, outcome.missing);
  return { session: input.id, compactions, unreachable, summaryShare, lost, ...outcome };
}

async function force(session: Session, ratio = 0.7): Promise<boolean> {
  const { kind } = await session.operator.compact({ target: ratio * Math.min(1, session.reading.pressure) });
  return kind === 'committed';
}

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
const results: Record<string, unknown> = {};
const inputs = await chosen();
for (const window of flags.windows.split(',').map(Number)) {
  const runs: Run[] = [];
  for (const [index, input] of inputs.entries()) {
    const run = await replay(input, index, window);
    runs.push(run);
    if (flags.verbose) {
      console.log(`${window} ${run.session}: ${run.compactions} compactions, ${JSON.stringify(run.rules)}`);
      const lost = run.lost.map(({ kind, place, text }) => `${kind}@${place}: ${text}`);
      for (const line of [...lost, ...run.alone.map((text) => `stands alone: ${text}`)].slice(0, 12))
        console.log(`    ${line}`);
    }
  }
  const planted = sum(runs.map(({ rules }) => rules.verbatim + rules.missing));
  const total = {
    sessions: runs.length,
    chained: Math.min(...runs.map(({ compactions }) => compactions)),
    withFullChain: runs.filter(({ compactions }) => compactions >= CHAIN).length,
    unreachable: sum(runs.map((run) => run.unreachable)),
    planted,
    verbatim: sum(runs.map(({ rules }) => rules.verbatim)),
    cameBack: sum(runs.map(({ rules, lost }) => rules.missing - lost.length)),
    lost: sum(runs.map(({ lost }) => lost.length)),
    retired: sum(runs.map((run) => run.retired)),
    retiredAlone: sum(runs.map(({ alone }) => alone.length)),
    summaryShareAtMost: Number(Math.max(...runs.map(({ summaryShare }) => summaryShare)).toFixed(3)),
  };
  console.log(`window ${window}: ${JSON.stringify(total)}`);
  // Figures only: no words of the sessions are saved.
  const figures = runs.map(({ missing: _, lost, alone, ...run }) => ({
    ...run,
    lost: lost.length,
    alone: alone.length,
  }));
  results[window] = { total, runs: figures };
}
const short = flags.only !== undefined || Number(flags.count) < 20;
console.log(
  `written to ${saveResult(short ? 'constraints-short' : 'constraints', command, results, loaded)}`,
);
