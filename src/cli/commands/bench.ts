import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Table from 'cli-table3';
import { SpillwayError } from '../../errors/index.js';
import { compareFile, type ComparedFile } from '../compare/compare-file.js';
import type { ComparedPolicy } from '../compare/tally.js';
import { EXIT } from '../exit.js';
import type { PolicyOptions } from '../open.js';
import { refuseInput, writeReport } from '../output.js';
import { createProgress } from '../progress.js';
import { amount, PLAIN_TABLE, percent } from '../report/numbers.js';
import type { Terminal } from '../terminal.js';

export interface BenchOptions extends Omit<PolicyOptions, 'window' | 'profile' | 'model' | 'out' | 'to'> {
  /** Profiles, files of settings, `keep-newest`, or modules of policies. */
  readonly policies: readonly string[];
  /** Tokens that each request may have, one round each. */
  readonly windows: readonly number[];
}

/** One policy over all sessions that passed the window. */
export interface BenchRow {
  readonly policy: string;
  readonly sessions: number;
  readonly calls: number;
  /** Of the names, paths and numbers that the next steps used and that had been said before: the share that stood in the requests. */
  readonly kept: number;
  /** The same of those that were last said half a window ago or longer. */
  readonly keptFromAfar: number | null;
  readonly neededFromAfar: number;
  readonly meanTokens: number;
  /** Tokens behind the unchanged front of a request, of all that were sent. */
  readonly rewritten: number;
  readonly compactions: number;
  readonly over: number;
  /** Rules of the wire that requests break. */
  readonly broken: number;
  /** Calls for which the policy gave nothing. */
  readonly failed: number;
  /** What it said the first time. */
  readonly failure?: string;
}

export interface BenchRound {
  readonly window: number;
  readonly rows: readonly BenchRow[];
  /** Sessions that never pass the window: no policy has anything to do there. */
  readonly short: readonly string[];
  readonly files: readonly ComparedFile[];
}

/** Holds policies against each other on recorded sessions: the same calls, the same budget, the same count. */
export async function bench(
  given: readonly string[],
  options: BenchOptions,
  terminal: Terminal,
): Promise<number> {
  const files = given.flatMap(sessionsAt);
  for (const file of files) refuseInput(file, options.report);
  const rounds: BenchRound[] = [];
  const progress = createProgress(terminal, files.length * options.windows.length, 'replaying');
  for (const window of options.windows) {
    const compared: ComparedFile[] = [];
    const short: string[] = [];
    for (const file of files) {
      const one = await compareFile(file, options.policies, { ...options, window }, terminal);
      const passes = one.policies.some(
        ({ totals }) => totals.compactions + totals.unreachable + totals.over > 0,
      );
      if (passes) compared.push(one);
      else short.push(file);
      progress.at(rounds.length * files.length + compared.length + short.length);
    }
    rounds.push({ window, rows: rowsOf(options.policies, compared), short, files: compared });
  }
  progress.done();
  writeReport({ policies: options.policies, rounds }, () => tables(rounds, terminal), options, terminal);
  return EXIT.done;
}

const SESSION = /\.jsonl?$/;
/** Questions on a session, as some collections put them beside it. */
const BESIDE = /\.probes\.jsonl$/;

/** The file, or every session in the folder, in the order of their names. */
function sessionsAt(path: string): string[] {
  if (!existsSync(path) || !statSync(path).isDirectory()) return [path];
  const files = readdirSync(path)
    .filter((name) => SESSION.test(name) && !BESIDE.test(name))
    .sort();
  if (files.length > 0) return files.map((name) => join(path, name));
  throw new SpillwayError('INPUT_UNREADABLE', {
    subject: path,
    found: 'a folder without a session',
    allowed: 'files that end in .jsonl or .json',
    remedy: 'Name the folder that holds the recordings.',
  });
}

function rowsOf(names: readonly string[], files: readonly ComparedFile[]): BenchRow[] {
  return names.map((policy, i) => {
    const own = files.map(({ policies }) => policies[i]!);
    const calls = own.flatMap((one) => one.calls);
    const total = (pick: (one: ComparedPolicy['totals']) => number): number =>
      own.reduce((sum, { totals }) => sum + pick(totals), 0);
    const sum = (pick: (call: (typeof calls)[number]) => number): number =>
      calls.reduce((all, call) => all + pick(call), 0);
    const [needed, afar] = [sum((call) => call.needed), sum((call) => call.neededFromAfar)];
    const sent = total(({ sentTokens }) => sentTokens);
    const failure = calls.find(({ error }) => error !== undefined);
    return {
      policy,
      sessions: own.length,
      calls: calls.length,
      kept: needed > 0 ? sum((call) => call.held) / needed : 1,
      keptFromAfar: afar > 0 ? sum((call) => call.heldFromAfar) / afar : null,
      neededFromAfar: afar,
      meanTokens: sent / Math.max(1, calls.length - total(({ unreachable }) => unreachable)),
      rewritten: sent > 0 ? total(({ rewrittenTokens }) => rewrittenTokens) / sent : 0,
      compactions: total((one) => one.compactions),
      over: total(({ over }) => over),
      broken: total(({ broken }) => broken),
      failed: total(({ unreachable }) => unreachable),
      ...(failure?.why !== undefined && { failure: failure.why }),
    };
  });
}

const COLUMNS: readonly { readonly title: string; readonly of: (row: BenchRow) => string }[] = [
  { title: 'kept', of: ({ kept }) => percent(kept) },
  { title: 'from afar', of: ({ keptFromAfar }) => (keptFromAfar === null ? '–' : percent(keptFromAfar)) },
  { title: 'mean sent', of: ({ meanTokens }) => amount(meanTokens) },
  { title: 'rewritten', of: ({ rewritten }) => percent(rewritten) },
  { title: 'compactions', of: ({ compactions }) => amount(compactions) },
  { title: 'over', of: ({ over }) => amount(over) },
  { title: 'illegal', of: ({ broken }) => amount(broken) },
  { title: 'failed', of: ({ failed }) => amount(failed) },
];

const counted = (count: number, what: string): string => `${amount(count)} ${what}${count === 1 ? '' : 's'}`;

function tables(rounds: readonly BenchRound[], { paint }: Terminal): string {
  return rounds
    .flatMap(({ window, rows, short }) => {
      const [first] = rows;
      const about = [
        `${counted(first?.sessions ?? 0, 'session')}, ${counted(first?.calls ?? 0, 'call')}`,
        ...(short.length > 0
          ? [`${short.length} never ${short.length === 1 ? 'passes' : 'pass'} the window`]
          : []),
      ].join('; ');
      const head = ['policy', ...COLUMNS.map(({ title }) => title)];
      const grid = new Table({
        ...PLAIN_TABLE,
        head,
        colAligns: head.map((_, i) => (i === 0 ? 'left' : 'right')),
      });
      grid.push(
        ...rows.map((row) => [row.policy, ...COLUMNS.map(({ of }) => (row.calls > 0 ? of(row) : '–'))]),
      );
      return [
        `${paint.bold(`window ${amount(window)}`)}  ${about}`,
        grid.toString(),
        ...(short.length > 0 ? [`left out: ${short.join(', ')}`] : []),
        ...rows.flatMap(({ policy, failure }) => (failure === undefined ? [] : [`${policy}: ${failure}`])),
        '',
      ];
    })
    .join('\n');
}
