import Table from 'cli-table3';
import type { Budget, CostLine, Warning } from '../../../index.js';
import type { Notice } from '../../../spi/index.js';
import { grouped } from '../../../tokens/index.js';
import { visible } from '../terminal.js';

/** Formats of numbers and tables for people. */

export function amount(value: number): string {
  return Number.isFinite(value) ? grouped(Math.round(value)) : 'unlimited';
}

/** `1 call`, `3 calls`. */
export const counted = (count: number, thing: string): string =>
  `${amount(count)} ${thing}${count === 1 ? '' : 's'}`;

export function percent(pressure: number): string {
  return `${(pressure * 100).toFixed(1)} %`;
}

export function milliseconds(value: number): string {
  return value < 10 ? `${value.toFixed(2)} ms` : `${Math.round(value)} ms`;
}

/** A change of the view in tokens, for a column: `-1,447`, `+54`. */
export function change(tokens: number): string {
  return tokens > 0 ? `+${amount(tokens)}` : amount(tokens);
}

/** The origin of a budget in a few words; the report has the whole derivation. */
export function budgetLine(
  { tokens, derivation, window, usable, reserve }: Budget,
  warnings: readonly Warning[] = [],
): string {
  const isGuess = warnings.some(({ code }) => code === 'window-guessed');
  const said = (derivation[0] ?? '').replace(/^unnamed model: /, '');
  const origin = isGuess ? said.replace('(setting)', '(a guess)') : said;
  const isInputLimit = reserve.output === 0 && usable < window;
  const less = [
    isInputLimit ? `input limit ${amount(usable)}` : '',
    reserve.output > 0 ? `${amount(reserve.output)} less for the answer` : '',
    reserve.injection > 0 ? `${amount(reserve.injection)} less for injections` : '',
    reserve.safety > 0 ? `${amount(reserve.safety)} less for safety` : '',
  ].filter((part) => part !== '');
  return `${amount(tokens)} tokens (${[origin, ...less].join(', ')})`;
}

/** US dollars. `isLeast` is for sums in which some calls had no price. */
export function dollars(cost: number, isLeast = false): string {
  return `${isLeast ? 'at least ' : ''}$${cost.toFixed(4)}`;
}

/** The summarizer's calls in one line. */
export function costsLine({ calls, inputTokens, outputTokens, cost, unpriced }: CostLine): string {
  const price = unpriced === calls ? 'price unknown' : dollars(cost, unpriced > 0);
  return `summarizer: ${counted(calls, 'call')}, ${amount(inputTokens)} tokens in, ${amount(outputTokens)} out, ${price}`;
}

const EDGES =
  'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right right-mid';

/** A table without lines, with two spaces between columns: readable on a terminal and in a log file. */
export const PLAIN_TABLE = {
  chars: { ...Object.fromEntries(EDGES.split(' ').map((edge) => [edge, ''])), middle: '  ' },
  style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
} satisfies { chars: Record<string, string>; style: Record<string, unknown> };

/** A table for a terminal, with figures aligned right and the columns of words aligned left. */
export function plainTable(
  head: readonly string[],
  lines: readonly (readonly (string | number)[])[],
  words: readonly number[] = [0],
): string {
  const colAligns = head.map((_, column) => (words.includes(column) ? 'left' : 'right'));
  const table = new Table({ ...PLAIN_TABLE, head: [...head], colAligns });
  table.push(...lines.map((line) => [...line]));
  return table.toString();
}

/** Notices that are listed one by one; the others are only counted. */
const MAX_MENDED = 20;

/** The notices about an input, one per line. `of` names the input if there are several. */
export function mendedLines(notices: readonly Notice[], of = ''): string[] {
  const lines = notices
    .slice(0, MAX_MENDED)
    .map(({ at, what }) => `mended ${of}${visible(`${at}: ${what}`, '\\n')}`);
  const more = notices.length - MAX_MENDED;
  return more > 0 ? [...lines, `… and ${amount(more)} more, all in the report`] : lines;
}
