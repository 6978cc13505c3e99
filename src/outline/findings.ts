import type { LogMessage } from '../transcript/index.js';
import { callsOf, type CallOutcome } from './calls.js';
import { notesOf, type Line } from './notes.js';
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

/** One pass over the span; nothing is counted. */
export function findingsOf(messages: readonly LogMessage[]): Findings {
  const calls = callsOf(messages);
  const users: UserWords[] = [];
  const decisions: Line[] = [];
  let chars = 0;
  let tokens = 0;
  for (const message of messages) {
    const notes = notesOf(message);
    if (notes.user) users.push(notes.user);
    for (const decision of notes.decisions) decisions.push(decision);
    chars += notes.chars;
    tokens += notes.tokens;
  }
  const changed = pathsOf(calls.filter((call) => call.writes));
  return {
    users,
    decisions: newestFirst(unique(decisions)),
    calls: unique([...calls].sort(byWorth).map((call) => ({ place: call.seq, text: call.line }))),
    changed: [...changed],
    read: [...pathsOf(calls.filter((call) => !call.writes))].filter((path) => !changed.has(path)),
    density: tokens > 20 ? chars / tokens : undefined,
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
