import type { Handle, LogMessage } from '../transcript/index.js';
import { callLine, callsOf, type CallOutcome } from './calls.js';
import type { Count } from './cut.js';
import { fitText } from './fit.js';
import { decisionsOf } from './prose.js';
import { userSection, userWordsOf, type UserWords } from './user-words.js';

export interface OutlineRequest {
  readonly maxTokens: number;
  readonly count: Count;
  /** Names the span, for recall. */
  readonly handle: Handle;
}

/** The text that stands for a span, and what it does not say. */
export interface Outline {
  readonly text: string;
  readonly tokens: number;
  readonly dropped: Dropped;
}

export interface Dropped {
  /** Ids of user messages that do not stand verbatim. */
  readonly userMessages: readonly string[];
  /** How many decisions and call lines found no room. */
  readonly decisions: number;
  readonly calls: number;
}

/** Shares of the allowance. User words come first; what one section leaves the next may take. */
const USER_SHARE = 0.5;
const DECISION_SHARE = 0.4;
const FILE_SHARE = 0.3;

/**
 * Text for a span of original messages, taken from them word by word, without a model: what users said, what was
 * decided, what was called and what came of it, which files were touched. It is a report of the past and says so.
 * Linear in the span; the span itself is never counted.
 */
export function outlineSpan(
  messages: readonly LogMessage[],
  { maxTokens, count, handle }: OutlineRequest,
): Outline {
  const found = gather(messages);
  let dropped: Dropped = { userMessages: [], decisions: 0, calls: 0 };
  const droppedBy = new Map<string, Dropped>();
  const build = (chars: number): string => {
    const drawn = draw(found, handle, chars);
    droppedBy.set(drawn.text, drawn.dropped);
    return drawn.text;
  };
  const fitted = fitText(build, maxTokens, count, densityOf(messages));
  if (fitted) {
    dropped = droppedBy.get(fitted.text) ?? dropped;
    return { ...fitted, dropped };
  }
  const text = bareLine(handle);
  const all = {
    userMessages: found.users.map((user) => user.id),
    decisions: found.decisions.length,
    calls: found.calls.length,
  };
  return { text, tokens: count(text), dropped: all };
}

interface Found {
  readonly users: readonly UserWords[];
  /** Lines, best first. */
  readonly decisions: readonly Line[];
  readonly calls: readonly Line[];
  readonly changed: readonly string[];
  readonly read: readonly string[];
}

interface Line {
  readonly place: number;
  readonly text: string;
}

function gather(messages: readonly LogMessage[]): Found {
  const calls = callsOf(messages);
  const decisions = messages
    .filter((message) => message.role === 'assistant' && message.origin !== 'synthetic')
    .flatMap(decisionsOf)
    .map((sentence): Line => ({ place: sentence.seq, text: `- ${sentence.text}` }));
  const changed = paths(calls.filter((call) => call.writes));
  return {
    users: userWordsOf(messages),
    decisions: newestFirst(unique(decisions)),
    calls: unique([...calls].sort(byWorth).map((call) => ({ place: call.seq, text: callLine(call) }))),
    changed,
    read: paths(calls.filter((call) => !call.writes)).filter((path) => !changed.includes(path)),
  };
}

/** Failures and changes tell more than look-ups, the newest more than the oldest. */
function byWorth(a: CallOutcome, b: CallOutcome): number {
  return worth(b) - worth(a) || b.seq - a.seq;
}

function worth(call: CallOutcome): number {
  return (call.failed ? 2 : 0) + (call.writes ? 1 : 0);
}

function draw(found: Found, handle: Handle, chars: number): { text: string; dropped: Dropped } {
  const header = `Earlier in this session (compacted ${handle}; recall by handle):`;
  const rest = chars - header.length;
  if (rest < 40) return { text: bareLine(handle), dropped: allOf(found) };
  const others = length(found.decisions) + length(found.calls) + length(found.changed) + length(found.read);
  const users = userSection(found.users, Math.max(USER_SHARE * rest, rest - others - 120));
  let left = rest - length(users.lines) - 60;
  const files = filesSection(found, FILE_SHARE * left);
  left -= length(files);
  const wanted = length(found.calls);
  const decisions = take(found.decisions, Math.max(DECISION_SHARE * left, left - wanted));
  left -= length(decisions);
  const calls = take(found.calls, left);
  const sections = [
    header,
    ...users.lines,
    ...titled('The assistant noted:', decisions),
    ...titled('Calls made (tool output in quotation marks):', calls),
    ...files,
  ];
  return {
    text: sections.join('\n'),
    dropped: {
      userMessages: users.shortened,
      decisions: found.decisions.length - decisions.length,
      calls: found.calls.length - calls.length,
    },
  };
}

function bareLine(handle: Handle): string {
  return `[Earlier messages compacted; recall ${handle}]`;
}

function allOf(found: Found): Dropped {
  return {
    userMessages: found.users.map((user) => user.id),
    decisions: found.decisions.length,
    calls: found.calls.length,
  };
}

function filesSection(found: Found, chars: number): string[] {
  const lines: string[] = [];
  let left = chars;
  for (const [title, files] of [
    ['Files changed: ', found.changed],
    ['Files read: ', found.read],
  ] as const) {
    const shown = take(
      files.map((text, place) => ({ place, text })),
      left - title.length,
    );
    if (shown.length === 0) continue;
    lines.push(title + shown.join(', '));
    left -= lines.at(-1)!.length;
  }
  return lines;
}

/** Lines best first while they fit, given back in their own order. */
function take(lines: readonly Line[], chars: number): string[] {
  const chosen: Line[] = [];
  let left = chars;
  for (const line of lines) {
    if (left < 12) break;
    if (line.text.length + 1 > left) continue;
    left -= line.text.length + 1;
    chosen.push(line);
  }
  return chosen.sort((a, b) => a.place - b.place).map((line) => line.text);
}

function titled(title: string, lines: readonly string[]): string[] {
  return lines.length > 0 ? [title, ...lines] : [];
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
function paths(calls: readonly CallOutcome[]): string[] {
  const found = calls.flatMap((call) => call.path ?? []);
  return [...new Set(found.reverse())];
}

function length(lines: readonly (string | { readonly text: string })[]): number {
  return lines.reduce((sum, line) => sum + (typeof line === 'string' ? line : line.text).length + 1, 0);
}

/** Characters per token, from sizes that were measured at append. */
function densityOf(messages: readonly LogMessage[]): number | undefined {
  let chars = 0;
  let tokens = 0;
  for (const message of messages) {
    if (message.role === 'tool') continue;
    message.parts.forEach((part, i) => {
      if (part.type !== 'text') return;
      chars += part.text.length;
      tokens += message.size.parts[i]?.tokens ?? 0;
    });
  }
  return tokens > 20 ? chars / tokens : undefined;
}
