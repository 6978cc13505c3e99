/**
 * Runs the five profiles and their strategies over the same sessions: the facts that each keeps for later use, the
 * tokens that it sends and rewrites, its cost, and how often a model would be asked.
 *
 *   npm run bench:profiles -- [--sessions DIR] [--windows 32000,128000] [--policies 'staged;pivot'] [--only ID]
 *                             [--exams DIR] [--exam-window 16000] [--exams-only]
 *
 * `exam` is the mechanical figure of the continuation exam, at a window of its own; it is only a hint. No key is used:
 * summaries are our own digests. `texts` counts the slots of committed plans that a model would be asked to fill.
 */
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import { createSpillway, replaySession, type ConfigSources } from '../src/index.js';
import { PLAIN_TABLE } from '../src/faces/cli/report/numbers.js';
import { compacted, contextOf, EXAMS, readExams } from './exam/exams.js';
import { proxyOf, scoresOf, type Scored } from './exam/proxy.js';
import { judge } from './retention/judge.js';
import { lostable } from './retention/measure.js';
import { probedSessions, type ProbedSession } from './retention/probes.js';
import { score, type Judged } from './retention/scores.js';
import type { ChatMessage } from './support/chat.js';
import { groupBy } from './support/group.js';
import { inputCost, SHEETS } from './support/input-cost.js';
import { addTally, newTally, Prefixes, unchangedShare } from './support/prefix.js';
import { provenance, saveResult } from './support/provenance.js';
import { referenceCount } from './support/reference-count.js';
import { CORPUS } from './support/sessions.js';

const { values: flags } = parseArgs({
  options: {
    sessions: { type: 'string', default: CORPUS },
    windows: { type: 'string', default: '32000,128000' },
    policies: { type: 'string' },
    only: { type: 'string' },
    exams: { type: 'string', default: EXAMS },
    'exam-window': { type: 'string', default: '16000' },
    'exams-only': { type: 'boolean', default: false },
  },
});

type Overrides = NonNullable<ConfigSources['settings']>;

/** Each profile unchanged, and with the alternatives that its document offers to an operator. */
const POLICIES: Readonly<Record<string, readonly [profile: string, settings: Overrides]>> = {
  staged: ['staged', {}],
  'staged, prune': ['staged', { compaction: { strategy: 'prune' } }],
  'staged, summarize': ['staged', { compaction: { strategy: 'summarize' } }],
  'staged, drop': ['staged', { compaction: { strategy: 'drop', summarizeFirst: false } }],
  operator: ['operator', {}],
  'operator, summarize': ['operator', { compaction: { strategy: 'summarize' } }],
  'operator, drop alone': ['operator', { compaction: { strategy: 'drop', summarizeFirst: false } }],
  agent: ['agent', {}],
  'agent, prune.mode iteration': ['agent', { compaction: { prune: { mode: 'iteration' } } } as Overrides],
  'agent, nobody summarises': ['agent', { summarizer: 'none' }],
  reducer: ['reducer', {}],
  'reducer, results at most 30 %': ['reducer', { caps: { toolResults: 0.3 } }],
  pivot: ['pivot', {}],
  'pivot, no prune': ['pivot', { compaction: { prune: false } } as Overrides],
};

interface Sum {
  readonly prefix: ReturnType<typeof newTally>;
  readonly judged: Judged[];
  calls: number;
  unreachable: number;
  compactions: number;
  prunes: number;
  texts: number;
  usd: number;
}

const newSum = (): Sum => ({
  prefix: newTally(),
  judged: [],
  calls: 0,
  unreachable: 0,
  compactions: 0,
  prunes: 0,
  texts: 0,
  usd: 0,
});

async function play(name: string, session: ProbedSession, window: number, sum: Sum): Promise<void> {
  const [profile, settings] = POLICIES[name]!;
  const live = (await createSpillway({ profile, settings, inputBudget: window })).session();
  const probes = lostable(session, window, new Set(['strong']));
  const due = groupBy(probes, ({ reusedAt }) => reusedAt);
  const prefixes = new Prefixes();
  let records = 0;
  for await (const { index, prepared } of replaySession(live, session.messages)) {
    sum.calls++;
    const request = prepared?.messages as readonly ChatMessage[] | undefined;
    for (const probe of due.get(index) ?? []) {
      const verdict = request ? judge(probe, request) : { present: false, anchored: false };
      sum.judged.push({ session: session.id, probe, ...verdict });
    }
    if (!request) {
      sum.unreachable++;
      continue;
    }
    const { length } = live.operator.ledger.records;
    sum.usd += inputCost(prefixes.next(request, length !== records), SHEETS.anthropic);
    records = length;
  }
  addTally(sum.prefix, prefixes.tally);
  for (const { kind, plan } of live.operator.ledger.records) {
    if (kind === 'compaction') sum.compactions++;
    else sum.prunes++;
    sum.texts += plan.edits.filter(({ slot }) => slot !== undefined).length;
  }
}

const DRAWS = 2_000;
const round = (value: number, digits = 3): number => Number(value.toFixed(digits));

function figuresOf({ prefix, judged, calls, unreachable, compactions, prunes, texts, usd }: Sum) {
  const kept = judged.length > 0 ? score(judged, DRAWS) : undefined;
  return {
    ...(kept && {
      probes: kept.probes,
      present: round(kept.present.byProbe),
      anchored: round(kept.anchored.byProbe),
      anchoredInterval: [round(kept.anchored.interval.low), round(kept.anchored.interval.high)],
    }),
    calls,
    unreachable,
    meanTokens: Math.round(prefix.sentTokens / Math.max(1, calls - unreachable)),
    compactions,
    prunes,
    texts,
    unchanged: round(unchangedShare(prefix)),
    rewrittenTokens: prefix.changedTokens,
    usd: round(usd, 2),
  };
}

/** The share of a window below which no profile compacts: the earliest trims at 0.5. */
const LEAST_FULL = 0.5;

const HEAD = [
  'policy',
  'present',
  'anchored',
  'mean sent',
  'compactions',
  'prunes',
  'texts',
  'unchanged',
  'input',
  'unreachable',
];

const windows = flags['exams-only'] ? [] : flags.windows.split(',').map(Number);
const names = flags.policies?.split(';') ?? Object.keys(POLICIES);
const unknown = names.filter((name) => !(name in POLICIES));
if (unknown.length > 0)
  throw new Error(`no policy ${unknown.join(', ')}; there are ${Object.keys(POLICIES).join('; ')}`);
const command = `npm run bench:profiles -- ${process.argv.slice(2).join(' ')}`.trim();
const loaded = provenance(command);
const isShort = flags.only !== undefined || flags.policies !== undefined || windows.length < 2;
const results: Record<string, unknown> = {};
const saved = isShort ? 'profiles-short' : 'profiles';
const exams = readExams(flags.exams, flags.sessions, flags.only);
if (exams.length > 0) {
  results['exam'] = await examined(Number(flags['exam-window']));
  console.log(`written to ${saveResult(saved, command, results, loaded)}\n`);
}
for (const window of windows) {
  const sums = new Map(names.map((name) => [name, newSum()]));
  const sessions: string[] = [];
  let file = '';
  for await (const session of probedSessions(flags.sessions, flags.only)) {
    // In a window that is less than half full, only retention acts.
    if (session.tokensBefore.at(-1)! <= LEAST_FULL * window) continue;
    for (const [name, sum] of sums) await play(name, session, window, sum);
    sessions.push(session.id);
    process.stderr.write(`${window} ${sessions.length} ${session.id}\n`);
    const policies = Object.fromEntries([...sums].map(([name, sum]) => [name, figuresOf(sum)]));
    results[window] = { sheet: SHEETS.anthropic, sessions, policies };
    // Saved after each session, so that a stopped run keeps its measurements.
    file = saveResult(saved, command, results, loaded);
  }
  print(sums);
  console.log(`window ${window}, ${sessions.length} sessions; written to ${file}\n`);
}

/** The mechanical figure of the exam under each policy, and the size of its contexts. */
async function examined(window: number): Promise<object> {
  const policies: Record<string, object> = {};
  for (const name of names) {
    const [profile, settings] = POLICIES[name]!;
    const rows: Scored[] = [];
    let tokens = 0;
    for (const exam of exams) {
      const request = await compacted(exam.history, window, { profile, settings });
      tokens += referenceCount(request);
      rows.push(...scoresOf(exam, contextOf(request)));
    }
    const { proxy, byKind } = proxyOf(rows);
    policies[name] = { proxy, byKind, meanTokens: Math.round(tokens / exams.length) };
    console.log(
      `exam at ${window}: ${name} ${proxy.toFixed(3)} in ${Math.round(tokens / exams.length)} tokens`,
    );
  }
  return { window, exams: exams.map(({ name }) => name), policies };
}

function print(sums: ReadonlyMap<string, Sum>): void {
  const table = new Table({
    ...PLAIN_TABLE,
    head: HEAD,
    colAligns: HEAD.map((_, i) => (i === 0 ? 'left' : 'right')),
  });
  for (const [name, sum] of sums) {
    const figures = figuresOf(sum);
    const {
      present = NaN,
      anchored = NaN,
      meanTokens,
      compactions,
      prunes,
      texts,
      unchanged,
      usd,
      unreachable,
    } = figures;
    table.push([
      name,
      present.toFixed(2),
      anchored.toFixed(2),
      meanTokens.toLocaleString('en'),
      compactions,
      prunes,
      texts,
      `${(100 * unchanged).toFixed(1)} %`,
      `$${usd.toFixed(2)}`,
      unreachable,
    ]);
  }
  console.log(table.toString());
}
