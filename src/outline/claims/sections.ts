import type { Artifact } from '../../facts/index.js';
import { quoted } from '../quoted.js';
import { oneLine } from '../slices.js';
import type { Claim } from './claim.js';
import type { PlanStep } from './plan.js';
import type { Rule } from './rules.js';
import type { Request, StatementLedger } from './statements.js';

/** What a section may know: what is claimed, and what is sent anyway. */
export interface Sources {
  readonly statements: StatementLedger;
  readonly isShownMessage: (seq: number) => boolean;
  /** Whether a text that stands for messages says it already, word for word. */
  readonly isShownText: (text: string) => boolean;
}

/** Ids named where something is not shown; more are left to a count. */
const LISTED_IDS = 6;

/**
 * Rules first by how much they bind, then the newest, since newer words overrule older ones; given back in order. What
 * finds no room is counted, with where to read it.
 */
export function ruleLines({ statements, isShownMessage }: Sources, strong: number, all: number): string[] {
  const live = statements.rules.rules.filter(({ status, seq }) => status === 'live' && !isShownMessage(seq));
  const ranked = live.toSorted((a, b) => b.binding - a.binding || b.seq - a.seq);
  const chosen = new Map<Rule, string>();
  let taken = ranked.length > 0 ? REST_CHARS : 0;
  const roomFor = ({ binding }: Rule): number => (binding === 2 ? strong : all) - taken;
  for (const rule of ranked) {
    const line = linesOfRule(rule).short;
    if (line.length + 1 > roomFor(rule)) continue;
    taken += line.length + 1;
    chosen.set(rule, line);
  }
  // What is said around a rule explains it, where every rule has found room.
  for (const rule of ranked) {
    const line = chosen.get(rule);
    const { whole } = linesOfRule(rule);
    const more = whole.length - (line?.length ?? 0);
    if (line === undefined || more > roomFor(rule)) continue;
    taken += more;
    chosen.set(rule, whole);
  }
  const left = live.filter((rule) => !chosen.has(rule));
  const lines = live.flatMap((rule) => chosen.get(rule) ?? []);
  if (left.length === 0) return lines;
  const rest = restLine('more that may bind', left);
  return lines.length > 0 || rest.length + 1 <= Math.max(strong, all) ? [...lines, rest] : [];
}

/** A rule's lines, which are asked for in every run as long as it holds. */
const known = new WeakMap<Rule, { readonly short: string; readonly whole: string }>();

function linesOfRule(rule: Rule): { readonly short: string; readonly whole: string } {
  let lines = known.get(rule);
  if (!lines) {
    const whole = `- ${quoted(rule.text)}`;
    lines = { short: rule.shorter === undefined ? whole : `- ${quoted(rule.shorter)}`, whole };
    known.set(rule, lines);
  }
  return lines;
}

/** What the line on what is left out takes. */
const REST_CHARS = 60;

function restLine(what: string, left: readonly { readonly id: string }[]): string {
  const ids = [...new Set(left.map(({ id }) => id))];
  const named = ids.length <= LISTED_IDS ? ids.join(', ') : `${ids[0]!}..${ids.at(-1)!}`;
  return `- ${left.length} ${what}, not shown [recall ${named}]`;
}

/** Rules that hold no longer, with the words that ended them: first those an older text still states, then the newest. */
export function endedLines({ statements, isShownMessage, isShownText }: Sources, chars: number): string[] {
  const ended = statements.rules.rules
    .filter(
      ({ status, seq }) =>
        status === 'superseded' && !isShownMessage(seq) && statements.endedIn(seq).length > 0,
    )
    .map((rule) => ({ rule, isStated: isShownText(rule.text) }))
    .sort((a, b) => Number(b.isStated) - Number(a.isStated) || b.rule.seq - a.rule.seq);
  const lines = ended.map(
    ({ rule: { text, endedBy } }) =>
      `- no longer holds: ${quoted(oneLine(text, 160))}, since the user said ${quoted(oneLine(endedBy!, 100))}`,
  );
  return take(lines, chars);
}

/** What the user wants done now, where no message and no summary in view says it. */
export function requestLines(
  { statements, isShownMessage, isShownText }: Sources,
  chars: number,
  said: readonly string[],
): string[] {
  const hidden = statements.requests.filter(
    ({ seq, text }) => !isShownMessage(seq) && !isShownText(text) && !said.includes(`- ${quoted(text)}`),
  );
  const line = ({ text, id }: Request, room: number): string =>
    text.length + 4 <= room
      ? `- ${quoted(text)}`
      : `- ${quoted(oneLine(text, Math.max(20, room - id.length - 24)))} [recall ${id}]`;
  const lines: string[] = [];
  let left = chars;
  for (const request of hidden.toReversed()) {
    const next = line(request, left);
    if (next.length + 1 > left) break;
    left -= next.length + 1;
    lines.unshift(next);
  }
  return lines;
}

/** Lists of demands whole, the newest first; of one that finds no room what fits, and where the rest stands. */
export function requirementLines({ statements, isShownMessage }: Sources, chars: number): string[] {
  let left = chars;
  const chosen: string[] = [];
  const rest: Claim[] = [];
  for (const claim of statements.requirements.toReversed()) {
    if (isShownMessage(claim.seq)) continue;
    const lines = claim.text.split('\n');
    const fitting = take(lines, left - 40);
    if (fitting.length < lines.length) {
      if (fitting.length < 2) {
        rest.push(claim);
        continue;
      }
      fitting.push(`(${lines.length - fitting.length} more lines [recall ${claim.id}])`);
    }
    left -= size(fitting);
    chosen.unshift(fitting.join('\n'));
  }
  if (rest.length > 0 && left > REST_CHARS) chosen.push(restLine('lists of demands', rest));
  return chosen;
}

/** Steps in the agent's order, the finished ones with what was done; then those finished in earlier plans. */
export function planLines({ statements, isShownMessage }: Sources, chars: number): string[] {
  const { steps, finished } = statements.plan;
  const newest = Math.max(-1, ...steps.map(({ seq }) => seq));
  const current = steps.length > 0 && isShownMessage(newest) ? [] : steps;
  const lines: string[] = [];
  let left = chars - (current.length > 0 ? REST_CHARS : 0);
  // What is still to do may not give way to what is done.
  const reserved = size(current.filter(({ done }) => !done).map(plainLine));
  let spare = Math.max(0, left - reserved);
  let hidden = 0;
  for (const step of current) {
    const plain = plainLine(step);
    const full = step.evidence === undefined ? plain : `${plain} (${step.evidence})`;
    const room = step.done ? Math.min(left, spare) : left;
    const line = full.length < room ? full : plain;
    if (line.length + 1 > room) {
      hidden++;
      continue;
    }
    left -= line.length + 1;
    if (step.done) spare -= line.length + 1;
    lines.push(line);
  }
  if (hidden > 0) lines.push(`- ${hidden} more steps, not shown [recall ${current[0]!.id}]`);
  const before = finished
    .toReversed()
    .filter(({ seq }) => !isShownMessage(seq))
    .map(
      (step) => `- finished before: ${step.text}${step.evidence === undefined ? '' : ` (${step.evidence})`}`,
    );
  return [...lines, ...take(before, Math.min(left, FINISHED_SHARE * chars)).toReversed()];
}

const FINISHED_SHARE = 0.4;

function plainLine({ state, text }: PlanStep): string {
  return `- [${state}] ${text}`;
}

/** Claims of one kind that nothing in view says, the newest first; given back in order. */
export function claimLines(
  claims: readonly Claim[],
  { isShownMessage, isShownText }: Sources,
  chars: number,
): string[] {
  const lines: string[] = [];
  let left = chars;
  // Not `take`: whether a text is shown is dear to ask, so it is asked only as far as there is room.
  for (let i = claims.length - 1; i >= 0 && left > 0; i--) {
    const { status, seq, text } = claims[i]!;
    if (status !== 'live' || isShownMessage(seq) || isShownText(text)) continue;
    const line = `- ${text}`;
    left -= line.length + 1;
    if (left >= 0) lines.push(line);
  }
  return lines.reverse();
}

/** Files that were written, changed or deleted in messages that left, newest first; what finds no room is counted. */
export function fileLines(changed: readonly Artifact[], chars: number): string[] {
  const lines = take(
    changed.map(({ path, state }) => `- ${state}: ${path}`),
    chars,
  );
  const hidden = changed.length - lines.length;
  if (hidden > 0 && lines.length > 0) lines.push(`- and ${hidden} more`);
  return lines;
}

export function size(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}

/** The first lines that fit; the first that does not ends it, so that nothing older stands in its place. */
function take(lines: readonly string[], chars: number): string[] {
  const chosen: string[] = [];
  let left = chars;
  for (const line of lines) {
    left -= line.length + 1;
    if (left < 0) break;
    chosen.push(line);
  }
  return chosen;
}
