import { actionOf, type Action } from '../facts/index.js';
import { looksFailed, outcomeOf, plainName } from '../reading/index.js';
import { textOf, type ToolCallPart, type ToolResultPart } from '../transcript/index.js';
import { escaped, middleCut } from './quote.js';

/** Lines of a failure that stay however little room there is. */
const FAILING_LINES = 6;
const LINE_CHARS = 200;

/** Looked through for such lines, from both ends of what is cut. In characters. */
const LOOKED_THROUGH = 32_000;

/** A program's output ends with what counts; a file begins with it. */
const RUN_HEAD_SHARE = 0.4;

/** Which result is quoted, and beside what. */
interface ResultPlace {
  /** The call it answers, where the source holds it. */
  readonly call?: ToolCallPart | undefined;
  /** Shown again by a later result of the same source. */
  readonly isRepeated: boolean;
}

/** What a tool answered: head, tail, and of a failure its error lines; of what is shown again later one line. */
export function quoteResult(
  part: ToolResultPart,
  { call, isRepeated }: ResultPlace,
  resultChars: number,
  redact: (text: string) => string,
): string {
  const text = redact(textOf(part));
  const kind = call ? actionOf(call).kind : 'other';
  const isRun = kind === 'run' || kind === 'other' || kind === 'write';
  const failed = part.isError === true || (isRun && looksFailed(text));
  const said = `${part.name ? escaped(plainName(part.name)) : 'tool'} ${part.isError === true ? 'failed' : 'returned'}: `;
  if (isRepeated) return said + escaped(repeatedLine(text, kind, failed, part.isError === true));
  const shown = middleCut(text, resultChars, {
    ...(isRun && { headShare: RUN_HEAD_SHARE }),
    ...(failed && { keep: failingLines }),
  });
  return said + escaped(shown);
}

function repeatedLine(text: string, kind: Action['kind'], failed: boolean, isError: boolean): string {
  const outcome = kind === 'run' || failed ? ` It ended: ${outcomeOf(text, isError)}` : '';
  return `[${text.length} characters; a later result in this transcript shows the same again.]${outcome}`;
}

/** The first lines that name a failure, each cut to a line's length. */
function failingLines(middle: string): string {
  const ends =
    middle.length <= 2 * LOOKED_THROUGH
      ? middle
      : `${middle.slice(0, LOOKED_THROUGH)}\n${middle.slice(-LOOKED_THROUGH)}`;
  const lines = new Set<string>();
  for (const line of ends.split('\n')) {
    if (!looksFailed(line)) continue;
    lines.add(line.trim().slice(0, LINE_CHARS));
    if (lines.size === FAILING_LINES) break;
  }
  return [...lines].join('\n');
}
