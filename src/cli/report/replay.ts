import Table from 'cli-table3';
import type { ReadSession } from '../../formats/index.js';
import type { ReplayedCall, Session } from '../../index.js';
import type { Terminal } from '../terminal.js';
import { amount, milliseconds, percent, PLAIN_TABLE } from './numbers.js';

type Call = Omit<ReplayedCall, 'prepared'>;

export interface ReplayReport {
  readonly file: string;
  readonly format: string;
  readonly how: string;
  readonly budget: { readonly tokens: number; readonly derivation: readonly string[] };
  readonly calls: readonly Call[];
  readonly totals: ReplayTotals;
  readonly notices: readonly { readonly at: string; readonly what: string; readonly kind: string }[];
}

export interface ReplayTotals {
  readonly messages: number;
  readonly calls: number;
  readonly compactions: number;
  readonly unreachable: number;
  readonly sessionTokens: number;
  readonly sentTokens: number;
  readonly highestPressure: number;
  readonly meanTokens: number;
  /** Share of all sent tokens that stood unchanged at the front. */
  readonly unchangedPrefix: number;
  readonly prepareMs: number;
  readonly slowestMs: number;
  readonly stages: Readonly<Record<string, number>>;
}

interface Facts {
  readonly file: string;
  readonly input: ReadSession;
  readonly calls: readonly Call[];
  readonly session: Session;
}

export function replayReport({ file, input, calls, session }: Facts): ReplayReport {
  const sent = calls.filter((call) => !call.error);
  const sum = (pick: (call: Call) => number): number => sent.reduce((total, call) => total + pick(call), 0);
  const stages: Record<string, number> = {};
  for (const call of sent) for (const stage of call.stages) stages[stage] = (stages[stage] ?? 0) + 1;
  const sentTokens = sum((call) => call.tokens);
  let sessionTokens = 0;
  for (let seq = 0; seq < session.log.length; seq++) sessionTokens += session.log.at(seq).size.tokens;
  const { tokens, derivation } = session.reading.budget;
  return {
    file,
    format: input.format,
    how: input.how,
    budget: { tokens, derivation },
    calls,
    totals: {
      messages: session.log.length,
      calls: calls.length,
      compactions: session.history.length,
      unreachable: calls.length - sent.length,
      sessionTokens,
      sentTokens,
      highestPressure: Math.max(0, ...sent.map((call) => call.pressure)),
      meanTokens: sent.length > 0 ? sentTokens / sent.length : 0,
      unchangedPrefix: sentTokens > 0 ? sum((call) => call.unchangedPrefixTokens) / sentTokens : 1,
      prepareMs: calls.reduce((total, call) => total + call.durationMs, 0),
      slowestMs: Math.max(0, ...calls.map((call) => call.durationMs)),
      stages,
    },
    notices: input.parsed.notices,
  };
}

export function replayTable(report: ReplayReport, paint: Terminal['paint']): string {
  const { totals, budget } = report;
  const lines = [
    `${paint.bold(report.file)} (${report.how})`,
    `budget ${amount(budget.tokens)} tokens (${budget.derivation.join('; ')}); the session has ${amount(totals.sessionTokens)}`,
    '',
  ];
  const fired = report.calls.filter((call) => call.run === 'committed' || call.error);
  if (fired.length > 0) {
    const table = new Table({
      ...PLAIN_TABLE,
      head: ['call', 'sent', 'pressure', 'prefix', 'stages'],
      colAligns: ['right', 'right', 'right', 'right', 'left'],
    });
    for (const call of fired.slice(-MOST_ROWS)) {
      const what = call.error ? paint.red(call.error.code) : call.stages.join(' ');
      table.push([
        call.index,
        amount(call.tokens),
        percent(call.pressure),
        amount(call.unchangedPrefixTokens),
        what,
      ]);
    }
    if (fired.length > MOST_ROWS) lines.push(`the newest ${MOST_ROWS} of ${fired.length} compactions:`);
    lines.push(table.toString(), '');
  }
  const stages = Object.entries(totals.stages).map(([stage, count]) => `${stage} ${count}`);
  lines.push(
    `${totals.calls} calls, ${totals.compactions} compactions${stages.length > 0 ? ` (${stages.join(', ')})` : ''}, ${totals.unreachable} that could not fit`,
    `sent ${amount(totals.meanTokens)} tokens a call, highest pressure ${percent(totals.highestPressure)}, ${percent(totals.unchangedPrefix)} of them unchanged at the front`,
    `prepare took ${milliseconds(totals.prepareMs)} in all, ${milliseconds(totals.slowestMs)} at most`,
  );
  return `${lines.join('\n')}\n`;
}

const MOST_ROWS = 25;
