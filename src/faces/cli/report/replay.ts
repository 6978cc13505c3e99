import type { ReadSession } from '../../importers/index.js';
import type { ReplayedCall, Session, Warning } from '../../../index.js';
import type { Terminal } from '../terminal.js';
import { amount, budgetLine, costsLine, mendedLines, milliseconds, percent, plainTable } from './numbers.js';

type Call = Omit<ReplayedCall, 'prepared'>;

/** The report of a replay, for programs. */
export type ReplayReport = ReturnType<typeof replayReport>;
export type ReplayTotals = ReplayReport['totals'];

interface Facts {
  readonly file: string;
  readonly input: ReadSession;
  readonly calls: readonly Call[];
  readonly session: Session;
  readonly warnings?: readonly Warning[];
}

export function replayReport({ file, input, calls, session, warnings = [] }: Facts) {
  const sent = calls.filter((call) => !call.error);
  const sum = (pick: (call: Call) => number): number => sent.reduce((total, call) => total + pick(call), 0);
  const stages: Record<string, number> = {};
  for (const call of calls.filter(({ run }) => run === 'committed'))
    for (const stage of call.stages) stages[stage] = (stages[stage] ?? 0) + 1;
  const sentTokens = sum((call) => call.tokens);
  const costs = session.operator.costs.compactor;
  let sessionTokens = 0;
  for (let seq = 0; seq < session.log.length; seq++) sessionTokens += session.log.at(seq).size.tokens;
  return {
    file,
    format: input.format,
    how: input.how,
    budget: session.reading.budget,
    calls,
    totals: {
      messages: session.log.length,
      calls: calls.length,
      compactions: session.operator.history.length,
      unreachable: calls.length - sent.length,
      sessionTokens,
      sentTokens,
      highestPressure: Math.max(0, ...sent.map((call) => call.pressure)),
      meanTokens: sent.length > 0 ? sentTokens / sent.length : 0,
      // Share of all sent tokens in unchanged prefixes.
      unchangedPrefix: sentTokens > 0 ? sum((call) => call.unchangedPrefixTokens) / sentTokens : 1,
      prepareMs: calls.reduce((total, call) => total + call.durationMs, 0),
      slowestMs: Math.max(0, ...calls.map((call) => call.durationMs)),
      stages,
      // Absent if no summarizer was called.
      ...(costs.calls > 0 && { costs }),
    },
    notices: input.parsed.notices,
    warnings,
  };
}

export function replayTable(report: ReplayReport, paint: Terminal['paint']): string {
  const { totals, budget } = report;
  const lines = [
    `${paint.bold(report.file)} (read as ${report.how})`,
    `session  ${amount(totals.sessionTokens)} tokens in ${amount(totals.messages)} messages`,
    `budget   ${budgetLine(budget, report.warnings)}`,
    '',
  ];
  const fired = report.calls.filter((call) => call.run === 'committed' || call.error);
  if (fired.length > 0) {
    const rows = fired.slice(-MAX_ROWS).map((call) => {
      const { index, tokens, pressure, unchangedPrefixTokens: prefix, error, stages } = call;
      const what = error ? paint.red(error.code) : stages.join(' ');
      return [index, amount(tokens), percent(pressure), amount(prefix), what];
    });
    if (fired.length > MAX_ROWS) lines.push(`the newest ${MAX_ROWS} of ${fired.length} compactions:`);
    lines.push(plainTable(['message', 'sent', 'pressure', 'prefix', 'stages'], rows, [4]), '');
  }
  lines.push(...totalLines(totals), ...mendedLines(report.notices).map((line) => paint.yellow(line)), '');
  return lines.join('\n');
}

/** The totals of a replay, one line per question: did all calls fit, what was sent, what did the work cost. */
export function totalLines(totals: ReplayTotals): string[] {
  const stages = Object.entries(totals.stages).map(([stage, count]) => `${stage} ${count}`);
  const fit = totals.unreachable === 0 ? 'every call fit' : `${amount(totals.unreachable)} could not fit`;
  return [
    `${amount(totals.calls)} calls, ${amount(totals.compactions)} compactions${stages.length > 0 ? ` (${stages.join(', ')})` : ''}; ${fit}`,
    `sent ${amount(totals.meanTokens)} tokens a call, ${percent(totals.unchangedPrefix)} of them unchanged at the front; highest pressure ${percent(totals.highestPressure)}`,
    `prepare took ${milliseconds(totals.prepareMs)} in all, ${milliseconds(totals.slowestMs)} at most`,
    ...(totals.costs ? [costsLine(totals.costs)] : []),
  ];
}

const MAX_ROWS = 25;
