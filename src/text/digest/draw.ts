import { quoted, type CallNote } from '../reading/index.js';
import { markFor, type Handle, type Mark } from '../../transcript/index.js';
import { stateLines } from './exact.js';
import { fitText } from './fit.js';
import { PREFIX_CHARS, takeUsers } from './user-words.js';
import { indented, SPEAKER_NAMES, withoutHeads } from './heads.js';
import { withoutTemplateMarks } from './template-marks.js';
import { linesOfRuns, runsBetween } from './call-lines.js';
import type { DigestIndex, Entry, WeighedPassage } from './digest-index.js';

/** A request for the text that replaces a span of the log. */
export interface DigestRequest {
  /** Log positions of the first and last message of the span. */
  readonly from: number;
  readonly to: number;
  /** Handle of the span, for recall. */
  readonly handle: Handle;
  /** Infinity: all prose, and a short line per run of calls. */
  readonly maxTokens: number;
  /** Counts text on the scale of the view. */
  count(text: string): number;
  /** Messages of the span that remain in view: the text leaves them out. */
  readonly shown?: ReadonlySet<number>;
}

/** The text that replaces a span, and the user messages that it shortens. */
export interface Digest {
  readonly text: string;
  readonly tokens: number;
  /** Ids of user messages that it does not give in full. */
  readonly shortened: readonly string[];
}

/** Newest entries and calls that are used; older ones are only in the log, under the digest's handle. */
const MAX_ENTRIES = 3_000;
const MAX_CALLS = 3_000;

/** Largest share of the text for users' words while other entries need room. */
const USER_SHARE = 0.6;
/** In a text this short, users' words get most of the room. In characters. */
const SHORT_CHARS = 1_500;
const USER_SHARE_OF_SHORT = 0.85;
/** Share that is reserved for lines on calls while prose exceeds the room. */
const CALL_SHARE = 0.16;

export function drawDigest(index: DigestIndex, request: DigestRequest, mark = markFor()): Digest {
  const { maxTokens, count } = request;
  const material = materialOf(index, request, mark);
  if (maxTokens === Infinity) {
    const whole = draw(material, Infinity);
    return { ...whole, tokens: count(whole.text) };
  }
  // Several texts are drawn, and the taken one is not always the last.
  const shortened = new Map<string, readonly string[]>();
  const build = (chars: number): string => {
    const drawn = draw(material, chars);
    shortened.set(drawn.text, drawn.shortened);
    return drawn.text;
  };
  const fitted = fitText(build, maxTokens, count);
  if (fitted) return { ...fitted, shortened: shortened.get(fitted.text) ?? [] };
  const text = bareLine(material.handle);
  return { text, tokens: count(text), shortened: material.users.map(({ id }) => id) };
}

/** The input of a digest, independent of its length. */
function materialOf(
  index: DigestIndex,
  { from, to, maxTokens, shown, handle: range }: DigestRequest,
  mark: Mark,
) {
  const all = index.entries(from, to, MAX_ENTRIES);
  const entries = all.filter(({ seq }) => !shown?.has(seq));
  const others = entries.filter(({ voice }) => voice !== 'user');
  const calls = index.calls(from, to, MAX_CALLS).filter(({ seq }) => !shown?.has(seq));
  return {
    entries,
    users: entries.filter(({ voice }) => voice === 'user'),
    others,
    /** Users' own messages that follow the digest in full. */
    below: all.filter(({ seq, voice }) => voice === 'user' && shown?.has(seq)),
    calls,
    workState: index.workState(from, to, maxTokens === Infinity),
    inRank: ranking(others, calls),
    range,
    handle: mark(range),
    mark,
  };
}

/** The chosen texts of an entry, by place: whole passages, or a cut of its only passage. */
type ChosenTexts = ReadonlyMap<number, string>;

function draw(material: ReturnType<typeof materialOf>, chars: number): { text: string; shortened: string[] } {
  const { entries, users, others, below, calls, workState, range, handle, mark } = material;
  const chosen = new Map<Entry, Map<number, string>>();
  const state = stateLines(workState, range, chars);
  let left = chars - headerFor(handle, true).length - 1;
  for (const line of state) left -= line.length + 1;
  const take = (entry: Entry, at: number, text: string): void => {
    const texts = chosen.get(entry) ?? new Map<number, string>();
    if (texts.size === 0) left -= PREFIX_CHARS + entry.id.length;
    chosen.set(entry, texts.set(at, text));
    left -= text.length + 3;
  };
  const otherChars = others.reduce((sum, { chars: n }) => sum + n, 0);
  const reserve = Math.min(CALL_SHARE * left, 60 * calls.length);
  const share = left < SHORT_CHARS ? USER_SHARE_OF_SHORT : USER_SHARE;
  takeUsers(users, Math.max(share * left, left - reserve - otherChars), take);
  left -= reserve;
  const detailed = new Set<CallNote>();
  for (const { entry, passage, call } of material.inRank(left)) {
    if (left < 60) break;
    if (entry && passage.text.length + PREFIX_CHARS <= left) take(entry, passage.at, passage.text);
    if (call && call.excerpt.length + DETAIL_CHARS <= left) {
      detailed.add(call);
      left -= call.excerpt.length + DETAIL_CHARS;
    }
  }
  left += reserve;
  const shownEntries = entries.filter((entry) => chosen.has(entry));
  const runs = runsBetween(shownEntries, calls);
  const callLines = linesOfRuns(runs, left, detailed);
  const lines: string[] = [];
  let r = 0;
  const flush = (before: number): void => {
    for (; r < runs.length && runs[r]![0]!.seq < before; r++) {
      const line = callLines[r];
      if (line) lines.push(line);
    }
  };
  // A pin inside the span follows the digest: a line marks its place in the talk.
  const inOrder = [...shownEntries, ...below].sort((a, b) => a.seq - b.seq);
  for (const entry of inOrder) {
    flush(entry.seq);
    const said = chosen.get(entry);
    lines.push(said ? entryText(entry, said) : `User [${entry.id}]: (in full after this digest)`);
  }
  flush(Infinity);
  lines.push(...state);
  const shortened = users.filter((user) => !isComplete(user, chosen.get(user))).map(({ id }) => id);
  const hidden = users.filter((user) => !chosen.has(user));
  if (hidden.length > 0) lines.unshift(hiddenLine(hidden, mark));
  const said = withoutTemplateMarks(lines.map(withoutHeadsWithin).join('\n'));
  const text = said === '' ? bareLine(handle) : `${headerFor(handle, said.includes(LEFT_OUT))}\n${said}`;
  return { text, shortened };
}

const HEADER = '[Digest of earlier messages ';
const BARE_LINE = '[Earlier messages';
/** Marks left-out words of a passage or of an entry. */
const LEFT_OUT = '[…]';

/** Whether a text is a digest, or the single line that replaces a digest without room. */
export function isDigest(text: string): boolean {
  return text.startsWith(HEADER) || (text.startsWith(BARE_LINE) && !text.includes('\n'));
}

/** Many digests replace a single call, so the header is as short as possible. */
function headerFor(handle: string, isCut: boolean): string {
  const cut = isCut ? `; “${LEFT_OUT}” where words are left out` : '';
  return `${HEADER}in order${cut}; ${handle}]`;
}

function bareLine(handle: string): string {
  return `${BARE_LINE} compacted; ${handle}]`;
}

/** A candidate next to the users' words: a passage of prose, or a text that a call wrote into files. */
type Ranked = { readonly score: number; readonly seq: number } & (
  | { readonly entry: Entry; readonly passage: WeighedPassage; readonly call?: undefined }
  | { readonly call: CallNote; readonly entry?: undefined; readonly passage?: undefined }
);

/** Bonus for the newest compared with the oldest. */
const AGE_WEIGHT = 2;
/** Longer passages are worth less than their room. In characters. */
const FULL_WORTH_CHARS = 300;
/** Worth of an edit's text: more than a remark, less than a conclusion. */
const EDIT_WORTH = 3.4;
/** Label and brackets around the text that a call wrote. */
const DETAIL_CHARS = 30;

/** A passage that a later summary covers is also in that summary. */
const COVERED_PENALTY = 2.5;
/** Share of the room for a host's summary, before others; its end leads on to present work. */
const EARLIER_SHARE = 0.4;
const EARLIER_WORTH = 9;

/** The newest part of a host's summary, within its share. */
function newestOfSummary({ passages }: Entry, room: number): ReadonlySet<WeighedPassage> {
  const first = new Set<WeighedPassage>();
  let left = EARLIER_SHARE * room;
  for (const passage of passages.toReversed()) {
    if (passage.text.length > left) break;
    left -= passage.text.length;
    first.add(passage);
  }
  return first;
}

/** Candidates, best first. Only the part of a host's summary depends on the room. */
function ranking(entries: readonly Entry[], calls: readonly CallNote[]): (room: number) => readonly Ranked[] {
  if (entries.some(({ voice }) => voice === 'earlier')) return (room) => ranked(entries, calls, room);
  let cached: readonly Ranked[] | undefined;
  return () => (cached ??= ranked(entries, calls, 0));
}

function ranked(entries: readonly Entry[], calls: readonly CallNote[], room: number): Ranked[] {
  const last = new Map<string, WeighedPassage>();
  for (const { passages } of entries) for (const passage of passages) last.set(passage.gist, passage);
  const from = Math.min(entries[0]?.seq ?? Infinity, calls[0]?.seq ?? Infinity);
  const to = Math.max(entries.at(-1)?.seq ?? 0, calls.at(-1)?.seq ?? 0);
  const scoreOf = (worth: number, seq: number, text: string): number =>
    worth +
    (AGE_WEIGHT * (seq - from + 1)) / (to - from + 1) -
    Math.log2(Math.max(1, text.length / FULL_WORTH_CHARS)) * 0.5;
  const found: Ranked[] = [];
  const covered = entries.findLast(({ voice }) => voice === 'earlier')?.seq ?? -1;
  for (const entry of entries) {
    const { seq, voice } = entry;
    const newest = voice === 'earlier' ? newestOfSummary(entry, room) : undefined;
    for (const passage of entry.passages) {
      // For a passage that is repeated later, only the newest counts.
      if (last.get(passage.gist) !== passage) continue;
      const worth = newest?.has(passage) ? EARLIER_WORTH : passage.worth;
      const score = scoreOf(worth, seq, passage.text) - (seq < covered ? COVERED_PENALTY : 0);
      found.push({ entry, passage, seq, score });
    }
  }
  for (const call of validWrites(calls))
    found.push({ call, seq: call.seq, score: scoreOf(EDIT_WORTH, call.seq, call.excerpt) });
  return found.sort(
    (a, b) => b.score - a.score || b.seq - a.seq || (a.passage?.at ?? 0) - (b.passage?.at ?? 0),
  );
}

/** Calls with texts that may still be valid: no failed call, and none whose text a later call overwrote. */
function validWrites(calls: readonly CallNote[]): CallNote[] {
  const rewritten = new Set<string>();
  return calls.toReversed().filter(({ excerpt, ending, verdict, shortPaths, rewritesFiles }) => {
    if (ending === 'failed' || verdict === 'refused') return false;
    const isValid = shortPaths.length === 0 || shortPaths.some((path) => !rewritten.has(path));
    if (rewritesFiles) for (const path of shortPaths) rewritten.add(path);
    return isValid && excerpt !== '';
  });
}

/** Continued lines are indented, so that no text can imitate a line of the digest. */
function entryText(entry: Entry, texts: ChosenTexts): string {
  const pieces: string[] = [];
  let expected = 0;
  for (const at of [...texts.keys()].sort((a, b) => a - b)) {
    if (at > expected) pieces.push(LEFT_OUT);
    pieces.push(texts.get(at)!);
    expected = at + 1;
  }
  if (expected < entry.passages.length && !pieces.at(-1)!.includes(LEFT_OUT)) pieces.push(LEFT_OUT);
  const said = indented(pieces.join('\n'), 2);
  // Text of tools and other agents is in quotation marks that it cannot close, apart from the talk.
  return `${SPEAKER_NAMES[entry.voice]} [${entry.id}]: ${entry.voice === 'report' ? quoted(said) : said}`;
}

/** Masks heads in the text of others than the user, below the entry's own head. */
function withoutHeadsWithin(line: string): string {
  const end = line.indexOf('\n');
  if (end < 0 || line.startsWith(`${SPEAKER_NAMES.user} [`)) return line;
  return line.slice(0, end) + withoutHeads(line.slice(end));
}

function isComplete(entry: Entry, chosen: ChosenTexts | undefined): boolean {
  return chosen !== undefined && entry.passages.every(({ at, text }) => chosen.get(at) === text);
}

function hiddenLine(hidden: readonly Entry[], mark: Mark): string {
  const ids = hidden.map(({ id }) => id);
  const listed = ids.length <= 8 ? ids.join(', ') : `${ids[0]}..${ids.at(-1)}`;
  return `[${ids.length} more message${ids.length === 1 ? '' : 's'} of the user; ${mark(listed)}]`;
}
