import type { ReadSession } from '../../importers/index.js';
import type { CostLine, Disposition, Prepared, RunReport, Warning } from '../../../index.js';
import type { Reading } from '../../../tokens/index.js';
import type { Terminal } from '../terminal.js';
import { amount, budgetLine, costsLine, mendedLines, percent, plainTable } from './numbers.js';

/** The report of one compaction, for programs. */
export type CompactReport = ReturnType<typeof compactReport>;

interface Facts {
  readonly file: string;
  readonly input: ReadSession;
  readonly before: Reading;
  readonly prepared: Prepared;
  readonly run: RunReport;
  readonly dispositions: readonly Disposition[];
  readonly warnings: readonly Warning[];
  readonly costs: CostLine;
}

export function compactReport({ file, input, before, prepared, run, dispositions, warnings, costs }: Facts) {
  const kept = { kept: 0, pinned: 0, replaced: 0, superseded: 0 };
  for (const { status } of dispositions) kept[status]++;
  const { kind, reason, stages, durationMs, record, calls } = run;
  return {
    file,
    format: input.format,
    how: input.how,
    messages: { before: dispositions.length, after: prepared.messages.length },
    tokens: { before: before.tokens, after: prepared.reading.tokens },
    pressure: {
      before: before.pressure,
      after: prepared.reading.pressure,
      derivation: prepared.reading.derivation,
    },
    budget: prepared.reading.budget,
    run: {
      kind,
      reason,
      stages,
      durationMs,
      ...(record && { plan: record.plan.hash }),
      ...(calls && { calls }),
      ...(run.warnings && { warnings: run.warnings }),
      ...(record?.fallbacks && { fallbacks: record.fallbacks }),
    },
    // Absent if no summarizer was called.
    ...(costs.calls > 0 && { costs }),
    kept,
    dispositions,
    notices: [...input.parsed.notices, ...prepared.notices],
    warnings,
  };
}

/** The report for people: stage by stage, then the kept messages and the reasons. */
export function compactTable(report: CompactReport, paint: Terminal['paint']): string {
  const { tokens, pressure, budget, run, kept, messages } = report;
  const lines = [
    `${paint.bold(report.file)} (read as ${report.how})`,
    `pressure ${percent(pressure.before)} -> ${paint.bold(percent(pressure.after))} of ${budgetLine(budget, report.warnings)}`,
    `tokens   ${amount(tokens.before)} -> ${amount(tokens.after)}`,
    `messages ${amount(messages.before)} -> ${amount(messages.after)}`,
    '',
  ];
  if (run.stages.length > 0) {
    const rows = run.stages.map((stage) => {
      const fault = stage.faults[0] ? ` ${stage.refused} refused: ${stage.faults[0].message}` : '';
      return [
        stage.stage,
        stage.opensAt === 0 ? '' : percent(stage.opensAt),
        amount(stage.before.tokens),
        amount(stage.after.tokens),
        stage.edits,
        `${stage.outcome}${fault}`,
      ];
    });
    lines.push(plainTable(['stage', 'opens at', 'before', 'after', 'edits', ''], rows, [0, 5]), '');
  }
  lines.push(`${run.kind === 'committed' ? 'compacted' : 'nothing to do'}: ${run.reason}`);
  if (report.costs) lines.push(costsLine(report.costs));
  for (const { message } of run.warnings ?? []) lines.push(paint.yellow(`warning: ${message}`));
  for (const fallback of run.fallbacks ?? []) lines.push(paint.yellow(`not by the summarizer: ${fallback}`));
  lines.push(
    `of ${report.dispositions.length} messages ${kept.kept} kept, ${kept.pinned} pinned, ${kept.replaced} replaced in part, ${kept.superseded} superseded`,
  );
  for (const [reason, count] of reasons(report.dispositions))
    lines.push(`  ${String(count).padStart(5)}  ${reason}`);
  lines.push(...mendedLines(report.notices).map((line) => paint.yellow(line)));
  return `${lines.join('\n')}\n`;
}

/** Reasons that differ only in numbers share a line. The report lists each message separately. */
function reasons(dispositions: readonly Disposition[]): [string, number][] {
  const alike = new Map<string, string[]>();
  for (const { by, status } of dispositions) {
    if (!by) continue;
    const line = `${status} by ${by.stage}: ${by.reason}`;
    const key = line.replace(/\d[\d,.]*/g, '…');
    const lines = alike.get(key);
    if (lines) lines.push(line);
    else alike.set(key, [line]);
  }
  return [...alike]
    .map(([key, lines]): [string, number] => [new Set(lines).size === 1 ? lines[0]! : key, lines.length])
    .sort((a, b) => b[1] - a[1]);
}
