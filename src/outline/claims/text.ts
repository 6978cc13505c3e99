import { needOf, type Artifact, type Identifier } from '../../facts/index.js';
import type { ReadonlyLog } from '../../transcript/index.js';
import type { Count } from '../cut.js';
import { fitText } from '../fit.js';
import { BestFirst } from './best-first.js';
import { Grouping, LINE_CHARS, type Group } from './groups.js';
import type { StatementLedger } from './statements.js';

export interface ClaimsRequest {
  readonly log: ReadonlyLog;
  readonly statements: StatementLedger;
  readonly identifiers: Iterable<Identifier>;
  readonly artifacts: Iterable<Artifact>;
  /** Whether what is sent still says it, elsewhere. */
  readonly isShown: (word: Identifier) => boolean;
  readonly isShownMessage: (seq: number) => boolean;
  readonly maxTokens: number;
  readonly count: Count;
  /** Characters per token of the claims that stand now, where there are any. */
  readonly density?: number | undefined;
}

const HEADER = 'Carried from messages that were compacted (history, quoted as it stood; recall by handle):';

/** Shares of the allowance that come before the identifiers; what they leave the identifiers take. */
const USER_SHARE = 0.25;
const PLAN_SHARE = 0.15;
const FILES_SHARE = 0.15;

/** Below this nothing worth carrying fits. */
const LEAST_TOKENS = 40;

/** Characters a token of identifiers takes, about: only decides how many are offered to `fitText` first. */
const WORD_DENSITY = 3.4;

/** Most words are those of the last list, so its density is a close guess: a text that fits at once is counted once. */
const GUESS = 0.98;

/**
 * What has left the view and may be needed again, verbatim: bounds that users set, the plan, files changed, and the
 * identifiers most likely to be written again, each in a line that says where it was seen. Ranked afresh each time.
 * Undefined where there is nothing to say.
 */
export function claimsText(request: ClaimsRequest): { text: string; tokens: number } | undefined {
  const { maxTokens, count } = request;
  if (maxTokens < LEAST_TOKENS) return undefined;
  const ranked = rank(request);
  // Read once: what is iterated over may be an iterator, and a text is built several times.
  const changed = changedFiles(request);
  const build = (chars: number): string => draw(request, ranked, changed, chars);
  const density = request.density === undefined ? WORD_DENSITY : GUESS * request.density;
  const fitted = fitText(build, maxTokens, count, density);
  return fitted && fitted.text.length > HEADER.length ? fitted : undefined;
}

interface Ranked {
  readonly word: Identifier;
  readonly need: number;
}

function rank({ identifiers, isShown, log }: ClaimsRequest): BestFirst<Ranked> {
  const now = log.length;
  const scored: Ranked[] = [];
  for (const word of identifiers) {
    if (word.origin !== 'system' && !isShown(word)) scored.push({ word, need: needOf(word, now) });
  }
  return new BestFirst(scored, (a, b) => a.need > b.need || (a.need === b.need && a.word.hash < b.word.hash));
}

function draw(
  request: ClaimsRequest,
  ranked: Iterable<Ranked>,
  changed: readonly Artifact[],
  chars: number,
): string {
  const sections = [HEADER];
  let left = chars - HEADER.length;
  const push = (title: string, lines: readonly string[]): void => {
    if (lines.length === 0) return;
    sections.push(title, ...lines);
    left -= title.length + 1 + lines.reduce((sum, line) => sum + line.length + 1, 0);
  };
  push('The user set these bounds:', constraintLines(request, USER_SHARE * left));
  push('The plan as last written:', planLines(request, PLAN_SHARE * chars));
  push('Files changed:', fileLines(changed, FILES_SHARE * chars));
  push('Seen where:', identifierLines(request, ranked, left));
  return sections.length > 1 ? sections.join('\n') : '';
}

/** The newest first, since newer words overrule older ones; given back in order. */
function constraintLines({ statements, isShownMessage }: ClaimsRequest, chars: number): string[] {
  let left = chars;
  const chosen: { seq: number; line: string }[] = [];
  for (const { seq, text } of statements.constraints.toReversed()) {
    if (isShownMessage(seq)) continue;
    const line = `- “${text.replace(/[“”]/g, '"')}”`;
    if (line.length > left) continue;
    left -= line.length;
    chosen.push({ seq, line });
  }
  return chosen.sort((a, b) => a.seq - b.seq).map(({ line }) => line);
}

function planLines({ statements, isShownMessage }: ClaimsRequest, chars: number): string[] {
  const { plan } = statements;
  if (!plan || isShownMessage(plan.seq)) return [];
  const lines: string[] = [];
  let left = chars;
  for (const line of plan.text.split('\n')) {
    left -= line.length + 3;
    if (left < 0) break;
    lines.push(`- ${line}`);
  }
  return lines;
}

/** Files that were written, changed or deleted in messages that left, newest first. */
function changedFiles({ artifacts, isShownMessage }: ClaimsRequest): Artifact[] {
  return [...artifacts]
    .filter(({ state, last }) => state !== 'read' && !isShownMessage(last))
    .sort((a, b) => b.last - a.last);
}

function fileLines(changed: readonly Artifact[], chars: number): string[] {
  const lines: string[] = [];
  let left = chars;
  for (const { path, state } of changed) {
    const line = `- ${state}: ${path}`;
    if (line.length + 1 > left) break;
    left -= line.length + 1;
    lines.push(line);
  }
  return lines;
}

function identifierLines({ log }: ClaimsRequest, ranked: Iterable<Ranked>, chars: number): string[] {
  const grouping = new Grouping(log);
  let left = chars;
  for (const { word } of ranked) {
    if (left <= 0) break;
    left -= grouping.add(word);
  }
  return grouping.groups.flatMap(linesOf);
}

/** `label: word, word`, broken where it gets long, with the label again. */
function linesOf({ label, words }: Group): string[] {
  const lines: string[] = [];
  const said = new Set<string>();
  let line = `${label}:`;
  for (const { text } of words) {
    if (said.has(text)) continue;
    said.add(text);
    if (line.length + text.length > LINE_CHARS && line.length > label.length + 1) {
      lines.push(line);
      line = `${label}:`;
    }
    line += ` ${text}`;
  }
  return [...lines, line];
}
