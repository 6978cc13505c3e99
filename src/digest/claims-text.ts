import type { Artifact } from '../facts/index.js';
import { joinedLines, oneLine, quoted, type Claim, type StatementIndex } from '../reading/index.js';
import { changedFiles, fileLines, filesTitle, withLaterChanges } from './claims-files.js';
import type { Count } from './cut.js';
import { fitText } from './fit.js';
import { indented } from './indented.js';
import { withoutTemplateMarks } from './template-marks.js';

export interface ClaimsRequest {
  readonly statements: StatementIndex;
  readonly artifacts: Iterable<Artifact>;
  /** Whether a message stands in the view as it was: what it says is not repeated. */
  readonly isShownMessage: (seq: number) => boolean;
  /** Whether a text that stands for messages says it already, word for word. */
  readonly isShownText: (text: string) => boolean;
  /** Whether an operator ended it; none was where absent. */
  readonly isEnded?: (claim: Pick<Claim, 'kind' | 'id' | 'text'>) => boolean;
  readonly isEndedFile?: (file: Artifact) => boolean;
  /** Whether the user speaks of a file; of none where absent. */
  readonly isNamedFile?: (file: Artifact) => boolean;
  /** Id of the newest message of the log. */
  readonly upTo: string;
  readonly maxTokens: number;
  readonly count: Count;
}

/** What holds is read off the log up to a message: behind it the talk itself says more. */
const headerFor = (upTo: string): string =>
  `Carried from messages that were compacted, in the words of the log, as of ${upTo} (history, not a request):`;

/** Of the room: what each section may take while the others wait. The user's words come first, files last. */
const REQUIREMENTS_SHARE = 0.6;
const BOUNDS_SHARE = 0.95;
const ENDED_SHARE = 0.25;
const STEPS_SHARE = 0.5;
const CHECKS_SHARE = 0.4;
const INSTRUCTIONS_SHARE = 0.25;
/** Older ends are rarely still of use: the newest name what is in work. */
const MOST_CHECKS = 4;

/** The few exact things carried beside a digest; undefined where there is nothing to say, or no room to say it. */
export function claimsText(request: ClaimsRequest): { text: string; tokens: number } | undefined {
  const { maxTokens, count } = request;
  if (maxTokens < 30) return undefined;
  const fitted = fitText((chars) => draw(request, chars), maxTokens, count);
  return fitted && fitted.text !== '' ? fitted : undefined;
}

const none = (): boolean => false;

function draw(
  {
    statements,
    artifacts,
    isShownMessage,
    isShownText,
    isEnded = none,
    isEndedFile = none,
    isNamedFile = none,
    upTo,
  }: ClaimsRequest,
  chars: number,
): string {
  const lines: string[] = [];
  const header = headerFor(upTo);
  const room = chars - header.length - 1;
  let left = room;
  const push = (title: string, said: readonly string[]): void => {
    if (said.length === 0) return;
    lines.push(title, ...said);
    left -= title.length + 1 + sizeOf(said);
  };
  const isShown = ({ seq, text }: Claim): boolean => isShownMessage(seq) || isShownText(text);
  const hidden = (claim: Claim): boolean => claim.status === 'live' && !isShown(claim) && !isEnded(claim);
  const leftOf = (claims: readonly Claim[]): Claim[] =>
    claims.filter((claim) => !isShownMessage(claim.seq) && !isEnded(claim));
  const share = (of: number): number => Math.min(of * room, left) - 40;

  const lists = statements.requirements.filter(hidden);
  push('The user demands, letter for letter:', listLines(lists, share(REQUIREMENTS_SHARE)));
  // What stands in a list is said with it.
  const isListed = ({ text }: Claim): boolean => lists.some((list) => joinedLines(list.text).includes(text));
  const bounds = statements.bounds.claims.filter((bound) => hidden(bound) && !isListed(bound));
  push('The user set these bounds, oldest first:', sentenceLines(bounds, share(BOUNDS_SHARE)));
  // Their words stand in the talk: without a word they would hold on.
  const over = [...statements.requirements, ...statements.bounds.claims].filter(
    (claim) => claim.status === 'live' && isEnded(claim) && (isShown(claim) || isListed(claim)),
  );
  push('Ended by an operator, these hold no more:', sentenceLines(over.map(inOneLine), share(ENDED_SHARE)));
  const steps = stepLines(statements, { isShownMessage, isEnded }, share(STEPS_SHARE));
  push('Steps of the plan that are open:', steps);
  push(
    'Checks that failed when they last ran:',
    newestLines(leftOf(statements.checks.failing).slice(-MOST_CHECKS), share(CHECKS_SHARE)),
  );
  const changed = changedFiles(artifacts, isNamedFile);
  push(
    'Checks that passed when they last ran:',
    newestLines(
      leftOf(statements.checks.passing)
        .slice(-MOST_CHECKS)
        .map((check) => withLaterChanges(check, changed)),
      share(CHECKS_SHARE),
    ),
  );
  push(
    'Instructions that were loaded:',
    newestLines(leftOf(statements.instructions.claims), share(INSTRUCTIONS_SHARE)),
  );
  push(
    filesTitle(statements.commits),
    fileLines(
      changed.filter((file) => !isEndedFile(file)),
      statements.commits.newest,
      left - 40,
    ),
  );
  return lines.length > 0 ? withoutTemplateMarks([header, ...lines].join('\n')) : '';
}

/** Of one message before all others had theirs: a paste of hundreds of rules takes no room from rules of other days. */
const MOST_OF_ONE = 20;

/** The newest first, as long as they are not too many of one message; then the rest of such messages. */
function inTurn(claims: readonly Claim[]): Claim[] {
  const counts = new Map<number, number>();
  const [first, rest]: [Claim[], Claim[]] = [[], []];
  for (const claim of claims.toReversed()) {
    const count = (counts.get(claim.seq) ?? 0) + 1;
    counts.set(claim.seq, count);
    (count <= MOST_OF_ONE ? first : rest).push(claim);
  }
  return [...first, ...rest];
}

/** Those that fit, in order; the others are counted, with where to read them. */
function sentenceLines(claims: readonly Claim[], chars: number): string[] {
  const chosen = new Set<Claim>();
  let left = chars;
  for (const claim of inTurn(claims)) {
    const size = boundLine(claim).length + 1;
    if (size > left) continue;
    left -= size;
    chosen.add(claim);
  }
  const lines = claims.filter((claim) => chosen.has(claim)).map(boundLine);
  return [...lines, ...restLine(claims.filter((claim) => !chosen.has(claim)))];
}

/** With what the user said later that may lift some of it: who goes on decides. */
function boundLine({ text, id, later }: Claim): string {
  const since = later ? `, later: ${quoted(oneLine(later.text, LATER_CHARS))} [${later.id}]` : '';
  return `- ${quoted(text)} [${id}]${since}`;
}

const LATER_CHARS = 160;

const LISTED_IDS = 6;
const NAMED_CHARS = 300;

function restLine(claims: readonly Claim[]): string[] {
  if (claims.length === 0) return [];
  const ids = [...new Set(claims.map(({ id }) => id))];
  const listed = ids.length <= LISTED_IDS ? ids.join(', ') : `${ids[0]}..${ids.at(-1)}`;
  return [`- ${claims.length} more [recall ${listed}]`];
}

/** Enough of a list to know it by. */
function inOneLine(claim: Claim): Claim {
  return { ...claim, text: oneLine(claim.text, NAMED_CHARS) };
}

/** Lists stand whole or by their handle. Continued lines are indented, so that none can begin a section. */
function listLines(claims: readonly Claim[], chars: number): string[] {
  let left = chars;
  const shown: string[] = [];
  const rest: Claim[] = [];
  for (const claim of claims.toReversed()) {
    const text = `- [${claim.id}] ${indented(claim.text, 2)}`;
    if (text.length + 1 > left) rest.push(claim);
    else {
      left -= text.length + 1;
      shown.push(text);
    }
  }
  return [...shown.reverse(), ...restLine(rest.reverse())];
}

function stepLines(
  { plan }: StatementIndex,
  { isShownMessage, isEnded }: Required<Pick<ClaimsRequest, 'isShownMessage' | 'isEnded'>>,
  chars: number,
): string[] {
  const open = plan.steps.filter(
    ({ done, isGone, id, text }) => !done && !isGone && !isEnded({ kind: 'todo', id, text }),
  );
  if (open.every(({ seq }) => isShownMessage(seq))) return [];
  const lines: string[] = [];
  let left = chars;
  for (const { text, state } of open) {
    const line = `- ${oneLine(text, 200)}${isPending(state) ? '' : ` (${stateOf(state)})`}`;
    if (line.length + 1 > left) break;
    left -= line.length + 1;
    lines.push(line);
  }
  if (lines.length < open.length) lines.push(`- ${open.length - lines.length} more`);
  return [...lines, ...doneLines(plan, left)];
}

const DONE_SHOWN = 3;

/** The last steps that were done, each with what was done for it, so that nobody starts them again; the rest are counted. */
function doneLines(plan: StatementIndex['plan'], chars: number): string[] {
  const done = [...plan.finished, ...plan.steps.filter((step) => step.done)];
  const lines: string[] = [];
  let left = chars;
  for (const { text, evidence } of done.slice(-DONE_SHOWN).toReversed()) {
    const line = `- done: ${oneLine(text, 120)}${evidence === undefined ? '' : ` (${evidence})`}`;
    if (line.length + 1 > left) break;
    left -= line.length + 1;
    lines.unshift(line);
  }
  const rest = done.length - lines.length;
  if (rest > 0) lines.unshift(`- done: ${rest} other step${rest === 1 ? '' : 's'}`);
  return lines;
}

const isPending = (state: string): boolean => /^(?:pending|open|todo|not[_ -]started)$/i.test(state);

/** A state is an agent's word: one line, no brackets, not endless. */
function stateOf(state: string): string {
  return oneLine(state.replace(/[()[\]]/g, ' '), 30);
}

function newestLines(claims: readonly Claim[], chars: number): string[] {
  let left = chars;
  const lines: string[] = [];
  for (const { text, id } of claims.toReversed()) {
    const line = `- ${text}${text.includes('[recall ') ? '' : ` [${id}]`}`;
    if (line.length + 1 > left) break;
    left -= line.length + 1;
    lines.push(line);
  }
  return lines.reverse();
}

function sizeOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}
