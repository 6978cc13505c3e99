import { needOf, type Artifact, type Identifier, type SecretBook } from '../../facts/index.js';
import type { ReadonlyLog } from '../../transcript/index.js';
import type { Count } from '../cut.js';
import { fitText } from '../fit.js';
import { MostNeeded } from './most-needed.js';
import {
  claimLines,
  endedLines,
  fileLines,
  planLines,
  requestLines,
  requirementLines,
  ruleLines,
  size,
  type Sources,
} from './sections.js';
import type { StatementLedger } from './statements.js';
import { WordList } from './word-list.js';

export interface ClaimsRequest {
  readonly log: ReadonlyLog;
  readonly statements: StatementLedger;
  readonly identifiers: Iterable<Identifier>;
  readonly artifacts: Iterable<Artifact>;
  /** Whether what is sent still says it, elsewhere. */
  readonly isShown: (word: Identifier) => boolean;
  readonly isShownMessage: (seq: number) => boolean;
  /** Whether a text that stands for messages says it already, word for word. */
  readonly isShownText?: (text: string) => boolean;
  /** Words that are never carried, and what text may not hold. */
  readonly secrets?: Pick<SecretBook, 'holds' | 'redact'> | undefined;
  readonly maxTokens: number;
  readonly count: Count;
  /** Characters per token of the claims that stand now, where there are any. */
  readonly density?: number | undefined;
}

const HEADER = 'Carried from messages that were compacted (history, quoted as it stood; recall by handle):';

/**
 * Shares of the allowance that come before the identifiers; what they leave the identifiers take. Rules by their form
 * are paid first and get what they need: they are few where there is room, and where there is little they matter most.
 */
const RULES_SHARE = 0.6;
/** What users said that may bind, lists and requests included: less, for much of it does not. */
const USER_SHARE = 0.25;
/** Of the allowance, kept for lists and requests however much rules take. */
const REQUESTS_SHARE = 0.08;
const ENDED_SHARE = 0.05;
const PLAN_SHARE = 0.15;
const FILES_SHARE = 0.15;
const ERRORS_SHARE = 0.04;
const CHECKS_SHARE = 0.03;
const DECISIONS_SHARE = 0.05;
const INSTRUCTIONS_SHARE = 0.03;

/** Below this nothing worth carrying fits. */
const LEAST_TOKENS = 40;

/** Characters a token of identifiers takes, about: only decides how many are offered to `fitText` first. */
const WORD_DENSITY = 3.4;

/** Most words are those of the last list, so its density is a close guess: a text that fits at once is counted once. */
const GUESS = 0.98;

/**
 * What has left the view and may be needed again, verbatim: bounds and demands of users, what was taken back, the plan,
 * failures and how checks ended, decisions, instructions, files changed, and the identifiers most likely to be written
 * again, each in a line that says where it was seen. Ranked afresh each time.
 * Undefined where there is nothing to say.
 */
export function claimsText(request: ClaimsRequest): { text: string; tokens: number } | undefined {
  const { maxTokens, count } = request;
  if (maxTokens < LEAST_TOKENS) return undefined;
  const words = wordsOf(request);
  // Read once: what is iterated over may be an iterator, and a text is built several times.
  const changed = changedFiles(request);
  const clean = request.secrets?.redact ?? ((text: string): string => text);
  const build = (chars: number): string => clean(draw(request, words, changed, chars));
  const density = request.density === undefined ? WORD_DENSITY : GUESS * request.density;
  const fitted = fitText(build, maxTokens, count, density);
  return fitted && fitted.text.length > HEADER.length ? fitted : undefined;
}

/** Words that left the view, as a list that grows by the most needed one. */
function wordsOf({ identifiers, isShown, log, secrets }: ClaimsRequest): WordList {
  const now = log.length;
  const ranked = new MostNeeded();
  for (const word of identifiers)
    if (word.origin !== 'system' && !isShown(word)) ranked.add(word, needOf(word, now));
  return new WordList(log, () => {
    let word = ranked.draw();
    while (word && secrets && isSecret(word, secrets)) word = ranked.draw();
    return word;
  });
}

function draw(request: ClaimsRequest, words: WordList, changed: readonly Artifact[], chars: number): string {
  const users = usersPart(request, chars, 0);
  const first = withTheRest(users, request, words, changed, chars);
  if (first.left <= LEAST_SPARE) return first.text;
  // What nothing else has a use for goes to what users said.
  const more = usersPart(request, chars, first.left);
  const isSame = more.length === users.length && more.every((line, i) => line === users[i]);
  return isSame ? first.text : withTheRest(more, request, words, changed, chars).text;
}

/** Less than this is no room for another sentence. In characters. */
const LEAST_SPARE = 80;

/** What users said that may bind, with the header: paid first. `spare`: characters beyond its share. */
function usersPart(request: ClaimsRequest, chars: number, spare: number): string[] {
  const sources = sourcesOf(request);
  const left = chars - HEADER.length;
  const least = REQUESTS_SHARE * left;
  let users = USER_SHARE * left + spare;
  const lines = [HEADER];
  const push = (title: string, said: readonly string[]): number => {
    if (said.length === 0) return 0;
    lines.push(title, ...said);
    return size([title, ...said]);
  };
  const rules = ruleLines(sources, Math.min(RULES_SHARE * left + spare, left - least), users);
  users = Math.max(least, users - push('The user set these bounds:', rules));
  users -= push('The user demands, letter for letter:', requirementLines(sources, users));
  push('The user asked last:', requestLines(sources, users, rules));
  return lines;
}

function withTheRest(
  users: readonly string[],
  request: ClaimsRequest,
  words: WordList,
  changed: readonly Artifact[],
  chars: number,
): { text: string; left: number } {
  const { statements } = request;
  const sources = sourcesOf(request);
  const sections = [...users];
  let left = chars - HEADER.length - size(users.slice(1));
  const room = (share: number): number => Math.max(0, Math.min(share * chars, left));
  const push = (title: string, lines: readonly string[]): void => {
    if (lines.length === 0) return;
    sections.push(title, ...lines);
    left -= size([title, ...lines]);
  };
  push('What the user took back:', endedLines(sources, room(ENDED_SHARE)));
  push('The plan as last written:', planLines(sources, room(PLAN_SHARE)));
  push('Failed and not made good since:', claimLines(statements.runs.errors, sources, room(ERRORS_SHARE)));
  push('How checks ended last:', claimLines(statements.runs.checks, sources, room(CHECKS_SHARE)));
  push('The agent decided:', claimLines(statements.decisions.claims, sources, room(DECISIONS_SHARE)));
  push(
    'Instructions that were loaded:',
    claimLines(statements.instructions.claims, sources, room(INSTRUCTIONS_SHARE)),
  );
  push('Files changed:', fileLines(changed, room(FILES_SHARE)));
  push('Seen where:', words.linesOf(left));
  return { text: sections.length > 1 ? sections.join('\n') : '', left };
}

function sourcesOf({ statements, isShownMessage, isShownText = () => false }: ClaimsRequest): Sources {
  return { statements, isShownMessage, isShownText };
}

/** Files that were written, changed or deleted in messages that left, newest first. */
function changedFiles({ artifacts, isShownMessage }: ClaimsRequest): Artifact[] {
  return [...artifacts]
    .filter(({ state, last }) => state !== 'read' && !isShownMessage(last))
    .sort((a, b) => b.last - a.last);
}

/** A word that stands inside a secret is one, wherever else it stands. */
function isSecret({ text, start, end }: Identifier, secrets: Pick<SecretBook, 'holds' | 'redact'>): boolean {
  return secrets.holds(text.slice(start, end));
}
