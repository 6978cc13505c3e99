import {
  defineStage,
  isSettled,
  readingResults,
  textOf,
  type Replace,
  type ResultPart,
  type StageGoal,
  grouped,
  keyLines,
  oneLine,
  noteOfResult,
  plainName,
  quoted,
  remembered,
  replaceBy,
  type Count,
  type ToolCallPart,
  type ToolResultPart,
} from '../../spi/index.js';
import { z } from 'zod/v4';

const MicroOptions = z.strictObject({
  minTokens: z
    .int()
    .min(0)
    .max(1_000_000)
    .default(200)
    .describe('Results smaller than this, as the view shows them, stay unchanged.'),
  maxTokens: z
    .int()
    .min(30)
    .max(10_000)
    .default(120)
    .describe('Most tokens of the text that replaces one result: outcome, key lines and handle.'),
  protectTokens: z
    .int()
    .min(0)
    .nullable()
    .default(null)
    .describe('Newest tool output that stays whole, in tokens. Empty: 0.15 of the budget.'),
});
type MicroOptions = z.infer<typeof MicroOptions>;

/** Share of the budget for the newest output, which stays whole by default: the agent is working on it. */
const PROTECTED_SHARE = 0.15;

/** Each remaining large result becomes its outcome, its key lines and a handle; a model may write a better line. */
export const micro = defineStage<MicroOptions>({
  name: 'micro',
  summary: 'Turns each remaining large tool result into a line with its key facts.',
  options: MicroOptions,
  *plan(view, goal) {
    const edits: Replace[] = [];
    let { reclaim, reclaimResults } = goal;
    for (const result of yield* readingResults(view)) {
      yield;
      if (reclaim <= 0 && reclaimResults <= 0) break;
      if (!mayCondense(result, goal, reclaimResults)) continue;
      const text = condense(result, view.mark(result.handle), goal.options.maxTokens, goal.count);
      const saved = result.tokens - goal.count(text);
      if (saved <= 0) continue;
      edits.push(editOf(result, text, goal.options.maxTokens));
      reclaim -= saved;
      reclaimResults -= saved;
    }
    return { edits };
  },
});

function mayCondense(result: ResultPart, goal: StageGoal<MicroOptions>, overCap: number): boolean {
  if (!isLarge(result, goal.options) || isSettled(result)) return false;
  // A cap on tool results overrides protection.
  return overCap > 0 || !isProtected(result, goal);
}

function isLarge(result: ResultPart, { minTokens, maxTokens }: MicroOptions): boolean {
  return result.tokens >= minTokens && result.tokens > maxTokens / 2;
}

function isProtected(result: ResultPart, { budget, options }: StageGoal<MicroOptions>): boolean {
  return result.newer <= (options.protectTokens ?? PROTECTED_SHARE * budget.tokens);
}

function editOf(result: ResultPart, text: string, maxTokens: number): Replace {
  const { source, tool } = result;
  const edit = replaceBy(result, text, `${tool ?? 'tool'} result of ${result.tokens} tokens condensed`);
  // A model can write nothing about an image alone.
  if (textOf(result.original).trim() === '') return edit;
  return { ...edit, slot: { fromId: source.id, toId: source.id, prompt: micro.name, maxTokens } };
}

/**
 * The line for a large result: tool, size, handle, outcome, then verbatim lines with paths, ids, errors, definitions
 * (headings and definitions first, if the text was only displayed). From the log, even if the view shows less.
 */
function condense(result: ResultPart, handle: string, maxTokens: number, count: Count): string {
  const { original, tool, call, source, index } = result;
  const tokens = source.size.parts[index]?.tokens ?? result.tokens;
  return writeLine(original, { handle, tool, call, tokens, maxTokens, count });
}

type LineRequest = {
  readonly handle: string;
  readonly tool: string | undefined;
  readonly call: ToolCallPart | undefined;
  /** Tokens of the whole result. */
  readonly tokens: number;
  readonly maxTokens: number;
  readonly count: Count;
};

const writeLine = remembered(
  (original: ToolResultPart, { handle, tool, call, tokens, maxTokens, count }: LineRequest) => {
    const text = textOf(original);
    const header = `[${plainName(tool)} result, ${grouped(tokens)} tokens, condensed; ${handle}]`;
    const { isLook, ending, line: said } = noteOfResult(call, original);
    const how = ending === 'unknown' ? '' : ending;
    const words = said === '' ? '' : quoted(said);
    const outcome = [how, words].filter((one) => one !== '').join(': ');
    const line = `${header} ${outcome}`.trimEnd();
    const taken = count(line);
    if (taken > maxTokens) return shortestLine(header, outcome, maxTokens, count);
    const room = maxTokens - taken - JOIN_TOKENS;
    const counted = (lines: string): number => count(joined(lines));
    const keys = joined(keyLines(text, room, counted, { told: said, isLook }));
    const whole = keys === '' ? line : `${line}${outcome === '' ? ' ' : LINE_SEPARATOR}${keys}`;
    return keys === '' || count(whole) <= maxTokens ? whole : line;
  },
);

/** Separates lines of a result that are joined into one line. */
const LINE_SEPARATOR = ' | ';

const joined = (lines: string): string =>
  lines
    .split('\n')
    .map((line) => line.trim())
    .join(LINE_SEPARATOR);

/** Tokens of the separator, and of counting differences between joined and separate texts. */
const JOIN_TOKENS = 3;

function shortestLine(header: string, outcome: string, maxTokens: number, count: Count): string {
  const shorter = `${header} ${oneLine(outcome, 60)}`;
  return count(shorter) <= maxTokens ? shorter : header;
}
