import Table from 'cli-table3';
import { SpillwayError } from '../../../errors/index.js';
import { formatNamed } from '../../../formats/index.js';
import { compareFile, type Comparison } from '../compare/compare-file.js';
import type { PolicyOptions } from '../open.js';
import { refuseInput, writeReport } from '../output.js';
import { amount, dollars, percent, PLAIN_TABLE } from '../report/numbers.js';
import { EXIT, type Terminal } from '../terminal.js';
import type { ComparedPolicy } from '../compare/tally.js';

export interface CompareOptions extends PolicyOptions {
  /** Profiles, or paths of profile or configuration files. */
  readonly compare: readonly string[];
}

/** What each policy would have kept, sent, rewritten, cost and broken on these sessions. */
export async function compare(
  files: readonly string[],
  options: CompareOptions,
  terminal: Terminal,
): Promise<number> {
  const { compare: policies, report } = options;
  if (options.to !== undefined) formatNamed(options.to);
  if (policies.length < 2 || policies.includes('')) {
    throw new SpillwayError('CONFIG_INVALID', {
      subject: '--compare',
      found: policies.join(','),
      allowed: 'two or more profiles or files, with commas between them',
      remedy: 'Name what is to be held against each other: --compare staged,agent.',
    });
  }
  for (const file of files) refuseInput(file, report);
  const compared = [];
  for (const file of files) compared.push(await compareFile(file, policies, options, terminal));
  const comparison: Comparison = { policies, files: compared };
  writeReport(comparison, () => table(comparison, terminal), options, terminal);
  return EXIT.done;
}

function table({ files }: Comparison, { paint }: Terminal): string {
  return files
    .flatMap(({ file, policies, differences }) => {
      const head = ['policy', ...TOTALS.map(({ title }) => title)];
      const grid = new Table({
        ...PLAIN_TABLE,
        head,
        colAligns: head.map((_, i) => (i === 0 ? 'left' : 'right')),
      });
      grid.push(...rowsOf(policies));
      return [
        paint.bold(file),
        grid.toString(),
        ...differences.flatMap(({ a, b, index, position, wordsA, wordsB }) => [
          `${a} and ${b} first differ before message ${index}, at place ${position} of the request:`,
          `  ${a}  ${wordsA || '(nothing)'}`,
          `  ${b}  ${wordsB || '(nothing)'}`,
        ]),
        '',
      ];
    })
    .join('\n');
}

type Totals = ComparedPolicy['totals'];

/** The columns of a comparison, in order. */
const TOTALS: readonly { readonly title: string; readonly of: (totals: Totals) => string }[] = [
  { title: 'kept', of: ({ kept }) => percent(kept) },
  { title: 'from afar', of: ({ keptFromAfar }) => (keptFromAfar === null ? '–' : percent(keptFromAfar)) },
  { title: 'mean sent', of: ({ meanTokens }) => amount(meanTokens) },
  { title: 'highest', of: ({ highestPressure }) => percent(highestPressure) },
  { title: 'compactions', of: ({ compactions }) => amount(compactions) },
  { title: 'rewritten', of: ({ rewrittenTokens }) => amount(rewrittenTokens) },
  { title: 'model calls', of: ({ summaryCalls }) => amount(summaryCalls) },
  { title: 'cost', of: ({ cost }) => (cost === null ? 'unknown' : dollars(cost)) },
  { title: 'broken', of: ({ broken, unreachable, over }) => amount(broken + unreachable + over) },
];

const rowsOf = (policies: readonly ComparedPolicy[]): string[][] =>
  policies.map(({ name, totals }) => [name, ...TOTALS.map(({ of }) => of(totals))]);
