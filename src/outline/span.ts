import type { Handle, LogMessage } from '../transcript/index.js';
import type { Count } from './cut.js';
import { fitText } from './fit.js';
import { findingsOf, type Findings } from './findings.js';
import type { Line } from './notes.js';
import type { Ended } from './claims/index.js';
import { userSection } from './user-words.js';

export interface OutlineRequest {
  readonly maxTokens: number;
  readonly count: Count;
  /** Names the span, for recall. */
  readonly handle: Handle;
  /** What a user's message said that holds no longer, by log position. */
  readonly ended?: (seq: number) => readonly Ended[];
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

/** What the titles of sections take together, in characters. */
const TITLE_CHARS = 60;

/**
 * Text for a span of original messages, taken from them word by word, without a model: what users said, what was
 * decided, what was called and what came of it, which files were touched. It is a report of the past and says so.
 * Linear in the span; the span itself is never counted.
 */
export function outlineSpan(
  messages: readonly LogMessage[],
  { maxTokens, count, handle, ended }: OutlineRequest,
): Outline {
  const found = findingsOf(messages);
  const droppedBy = new Map<string, Dropped>();
  const build = (chars: number): string => {
    const drawn = draw(found, handle, chars, ended);
    droppedBy.set(drawn.text, drawn.dropped);
    return drawn.text;
  };
  const fitted = fitText(build, maxTokens, count, found.density);
  if (fitted) return { ...fitted, dropped: droppedBy.get(fitted.text)! };
  const text = bareLine(handle);
  return { text, tokens: count(text), dropped: allOf(found) };
}

function draw(
  found: Findings,
  handle: Handle,
  chars: number,
  ended: OutlineRequest['ended'],
): { text: string; dropped: Dropped } {
  const header = `Earlier in this session (compacted ${handle}; recall by handle):`;
  const rest = chars - header.length;
  if (rest < 40) return { text: bareLine(handle), dropped: allOf(found) };
  const others = length(found.decisions) + length(found.calls) + length(found.changed) + length(found.read);
  const users = userSection(found.users, Math.max(USER_SHARE * rest, rest - others - 120), ended);
  let left = rest - length(users.lines) - TITLE_CHARS;
  const reserved = Math.min(FILE_SHARE * left, length(found.changed) + length(found.read));
  left -= reserved;
  const decisions = take(found.decisions, Math.max(DECISION_SHARE * left, left - length(found.calls)));
  const calls = take(found.calls, left - length(decisions));
  const files = filesSection(found, calls, left - length(decisions) - length(calls) + reserved);
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

function allOf(found: Findings): Dropped {
  return {
    userMessages: found.users.map((user) => user.id),
    decisions: found.decisions.length,
    calls: found.calls.length,
  };
}

/** Files that no call line names already. */
function filesSection(found: Findings, calls: readonly string[], chars: number): string[] {
  const named = calls.join('\n');
  const lines: string[] = [];
  let left = chars;
  for (const [title, files] of [
    ['Files changed: ', found.changed],
    ['Files read: ', found.read],
  ] as const) {
    const unnamed = files.filter((file) => !named.includes(file)).map((text, place) => ({ place, text }));
    const shown = take(unnamed, left - title.length);
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

function length(lines: readonly (string | { readonly text: string })[]): number {
  return lines.reduce((sum, line) => sum + (typeof line === 'string' ? line : line.text).length + 1, 0);
}
