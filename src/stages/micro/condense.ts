import {
  grouped,
  keyLines,
  oneLine,
  noteOfResult,
  plainName,
  quoted,
  remembered,
  textOf,
  type Count,
  type ResultPart,
  type ToolCallPart,
  type ToolResultPart,
} from '../../spi/index.js';

/**
 * What stands for a large result without a model, on one line: tool, size and handle, how its call ended, then the lines
 * that hold paths, ids, errors and definitions, verbatim; of a text that was only shown headings and definitions first. Derived from the log, also where the view showed less.
 */
export function condense(result: ResultPart, maxTokens: number, count: Count): string {
  const { original, handle, tool, call, source, index } = result;
  const tokens = source.size.parts[index]?.tokens ?? result.tokens;
  return write(original, { handle, tool, call, tokens, maxTokens, count });
}

type LineRequest = {
  readonly handle: string;
  readonly tool: string | undefined;
  readonly call: ToolCallPart | undefined;
  /** Of the whole result. */
  readonly tokens: number;
  readonly maxTokens: number;
  readonly count: Count;
};

const write = remembered(
  (original: ToolResultPart, { handle, tool, call, tokens, maxTokens, count }: LineRequest) => {
    const text = textOf(original);
    const header = `[${plainName(tool)} result, ${grouped(tokens)} tokens, condensed; recall ${handle}]`;
    const { isLook, ending, line: said } = noteOfResult(call, original);
    const how = ending === 'unknown' ? '' : ending;
    const words = said === '' ? '' : quoted(said);
    const outcome = [how, words].filter((one) => one !== '').join(': ');
    const line = `${header} ${outcome}`.trimEnd();
    const taken = count(line);
    if (taken > maxTokens) return tightest(header, outcome, maxTokens, count);
    const room = maxTokens - taken - JOIN_TOKENS;
    const counted = (lines: string): number => count(joined(lines));
    const keys = joined(keyLines(text, room, counted, { told: said, isLook }));
    const whole = keys === '' ? line : `${line}${outcome === '' ? ' ' : BETWEEN}${keys}`;
    return keys === '' || count(whole) <= maxTokens ? whole : line;
  },
);

/** What stands between lines of a result that are shown on one. */
const BETWEEN = ' | ';

const joined = (lines: string): string =>
  lines
    .split('\n')
    .map((line) => line.trim())
    .join(BETWEEN);

/** What stands between, and what two texts may cost more together than apart. */
const JOIN_TOKENS = 3;

function tightest(header: string, outcome: string, maxTokens: number, count: Count): string {
  const shorter = `${header} ${oneLine(outcome, 60)}`;
  return count(shorter) <= maxTokens ? shorter : header;
}
