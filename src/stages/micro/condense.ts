import { grouped, keyLines, oneLine, outcomeOf, plainName, quoted, type Count } from '../../outline/index.js';
import { textOf, type ToolResultPart } from '../../transcript/index.js';
import type { ResultPart } from '../results.js';

interface Condensed extends Pick<ResultPart, 'source' | 'index' | 'tool'> {
  readonly maxTokens: number;
  readonly count: Count;
  readonly text: string;
}

/** The last of each result: one that is not taken is offered again in the next run. */
const known = new WeakMap<ToolResultPart, Condensed>();

/** What stands for a large result without a model; the same for the same result, limit and counter. */
export function condense(result: ResultPart, maxTokens: number, count: Count): string {
  const { source, index, tool } = result;
  const before = known.get(result.original);
  const isSame =
    before?.maxTokens === maxTokens &&
    before.count === count &&
    before.source === source &&
    before.index === index &&
    before.tool === tool;
  if (isSame) return before.text;
  const text = write(result, maxTokens, count);
  known.set(result.original, { source, index, tool, maxTokens, count, text });
  return text;
}

/**
 * Tool, size and handle, how it ended, then the lines that hold paths, ids, errors and definitions, verbatim. Derived
 * from the log, also where the view showed less.
 */
function write(result: ResultPart, maxTokens: number, count: Count): string {
  const { original, handle, tool } = result;
  const text = textOf(original);
  const size = grouped(result.source.size.parts[result.index]?.tokens ?? result.tokens);
  const header = `[${plainName(tool)} result, ${size} tokens, condensed; recall ${handle}]`;
  const outcome = quoted(outcomeOf(text, original.isError));
  const line = `${header} ${outcome}`;
  const taken = count(line);
  if (taken > maxTokens) return tightest(header, outcome, maxTokens, count);
  const room = maxTokens - taken - JOIN_TOKENS;
  const keys = keyLines(text, room, count, undefined, outcome);
  const whole = keys === '' ? line : `${line}\n${keys}`;
  return keys === '' || count(whole) <= maxTokens ? whole : line;
}

/** A line break and what two texts may cost more together than apart. */
const JOIN_TOKENS = 3;

function tightest(header: string, outcome: string, maxTokens: number, count: Count): string {
  const shorter = `${header} ${oneLine(outcome, 60)}`;
  return count(shorter) <= maxTokens ? shorter : header;
}
