import type { LogMessage } from '../transcript/index.js';
import type { CallOutcome } from './calls.js';
import type { Line } from './notes.js';
import { SpanReading } from './span-reading.js';
import type { UserWords } from './user-words.js';

/** What can be said of a span without a model, each list best first. */
export interface Findings {
  readonly users: readonly UserWords[];
  readonly decisions: readonly Line[];
  readonly calls: readonly Line[];
  readonly changed: readonly string[];
  readonly read: readonly string[];
  /** Characters per token of what the span says in prose; undefined where it says next to nothing. */
  readonly density: number | undefined;
}

/** One pass over what is new in the span; nothing is counted. */
export function findingsOf(messages: readonly LogMessage[]): Findings {
  const { users, decisions, calls, chars, tokens } = SpanReading.of(messages);
  const changed = new Set<string>();
  const read = new Set<string>();
  // Paths, newest use first.
  for (let i = calls.length - 1; i >= 0; i--) {
    const { path, writes } = calls[i]!;
    if (path !== undefined) (writes ? changed : read).add(path);
  }
  return {
    users: users.slice(),
    decisions: decisions.toReversed(),
    calls: linesOf(calls),
    changed: [...changed],
    read: [...read].filter((path) => !changed.has(path)),
    density: tokens > 20 ? chars / tokens : undefined,
  };
}

/** Failures and changes tell more than look-ups, the newest more than the oldest; of equal lines the first stays. */
function linesOf(calls: readonly CallOutcome[]): Line[] {
  const byWorth: CallOutcome[][] = [[], [], [], []];
  for (const call of calls) byWorth[worth(call)]!.push(call);
  const said = new Set<string>();
  const lines: Line[] = [];
  for (const alike of byWorth.reverse()) {
    for (let end = alike.length; end > 0;) {
      // Calls of one message stay in their order.
      let start = end - 1;
      while (start > 0 && alike[start - 1]!.seq === alike[end - 1]!.seq) start--;
      for (let i = start; i < end; i++) {
        const { line, seq } = alike[i]!;
        if (said.has(line)) continue;
        said.add(line);
        lines.push({ place: seq, text: line });
      }
      end = start;
    }
  }
  return lines;
}

function worth(call: CallOutcome): 0 | 1 | 2 | 3 {
  return ((call.failed ? 2 : 0) + (call.writes ? 1 : 0)) as 0 | 1 | 2 | 3;
}
