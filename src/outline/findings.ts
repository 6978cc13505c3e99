import type { LogMessage } from '../transcript/index.js';
import { callLine, callsOf, type CallOutcome } from './calls.js';
import { decisionsOf } from './prose.js';
import { userWordsOf, type UserWords } from './user-words.js';

/** What can be said of a span without a model, each list best first. */
export interface Findings {
  readonly users: readonly UserWords[];
  readonly decisions: readonly Line[];
  readonly calls: readonly Line[];
  readonly changed: readonly string[];
  readonly read: readonly string[];
}

export interface Line {
  readonly place: number;
  readonly text: string;
}

/** One pass over the span; nothing is counted. */
export function findingsOf(messages: readonly LogMessage[]): Findings {
  const calls = callsOf(messages);
  const decisions = messages
    .filter((message) => message.role === 'assistant' && message.origin !== 'synthetic')
    .flatMap(decisionsOf)
    .map((sentence): Line => ({ place: sentence.seq, text: `- ${sentence.text}` }));
  const changed = pathsOf(calls.filter((call) => call.writes));
  return {
    users: userWordsOf(messages),
    decisions: newestFirst(unique(decisions)),
    calls: unique([...calls].sort(byWorth).map((call) => ({ place: call.seq, text: callLine(call) }))),
    changed: [...changed],
    read: [...pathsOf(calls.filter((call) => !call.writes))].filter((path) => !changed.has(path)),
  };
}

/** Failures and changes tell more than look-ups, the newest more than the oldest. */
function byWorth(a: CallOutcome, b: CallOutcome): number {
  return worth(b) - worth(a) || b.seq - a.seq;
}

function worth(call: CallOutcome): number {
  return (call.failed ? 2 : 0) + (call.writes ? 1 : 0);
}

/** The first of equal lines stays. */
function unique(lines: readonly Line[]): Line[] {
  const seen = new Set<string>();
  return lines.filter((line) => !seen.has(line.text) && seen.add(line.text));
}

function newestFirst(lines: readonly Line[]): Line[] {
  return [...lines].reverse();
}

/** Paths, newest use first. */
function pathsOf(calls: readonly CallOutcome[]): Set<string> {
  return new Set(calls.flatMap((call) => call.path ?? []).reverse());
}
