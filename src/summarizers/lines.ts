import type { SummaryLines } from '../spi/index.js';
import { settledOrAborted } from './each.js';
import type { Limit } from './limit.js';
import { escaped } from './quote.js';

/** More is no context but a document. */
const MOST_LINES = 50;
const LONGEST_CHARS = 500;

interface AskedLines {
  /** One line each, quoted. */
  readonly lines: readonly string[];
  /** Why there are none, for the record. */
  readonly fault?: string;
}

/** What the operator and plugins add to every request. What they throw, or never answer, costs only their lines. */
export async function linesOf(
  given: SummaryLines | undefined,
  redact: (text: string) => string,
  limit: Limit,
): Promise<AskedLines> {
  try {
    const { signal } = limit;
    const asked = typeof given === 'function' ? async () => given({ signal }) : async () => given ?? [];
    const lines: unknown = await settledOrAborted(asked(), signal);
    if (!Array.isArray(lines)) return { lines: [], fault: 'lines: what was given is no list' };
    const texts = lines.filter((line): line is string => typeof line === 'string' && line.trim() !== '');
    return { lines: texts.slice(0, MOST_LINES).map((line) => quoted(line, redact)) };
  } catch {
    return {
      lines: [],
      fault: `lines: ${limit.signal.aborted ? 'not there in time' : 'what gives them threw'}`,
    };
  } finally {
    limit.end();
  }
}

const quoted = (line: string, redact: (text: string) => string): string =>
  escaped(redact(line.replace(/\s+/g, ' ').trim().slice(0, LONGEST_CHARS)));
