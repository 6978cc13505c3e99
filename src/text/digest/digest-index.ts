import {
  firstAtLeast,
  isToolCall,
  isToolResult,
  textOf,
  type LogFold,
  type LogMessage,
  type ReadonlyLog,
  type Steps,
  type ToolResultPart,
} from '../../transcript/index.js';
import {
  recordAnswer,
  committedIn,
  conclusiveness,
  headOf,
  hostSummaryIn,
  recordVerdict,
  mayBind,
  noteOf,
  passagesOf,
  PlanBook,
  proseOf,
  ReplyReader,
  speechesOf,
  tailOf,
  textBy,
  withoutOwnText,
  type CallNote,
  type Passage,
} from '../reading/index.js';
import { loadsInstructions, type WorkState, type LoadedInstructions } from './exact.js';
import { replyLines } from './reply-lines.js';

/**
 * The author of an entry's text. `pasted`: a user inserted it from elsewhere; `written`: the agent's text in a call;
 * `report`: another agent's text in a user message; `earlier`: a host's summary.
 */
export type Voice = 'user' | 'pasted' | 'agent' | 'written' | 'report' | 'earlier';

/** A passage with the figures that decide whether it stays. */
export interface WeighedPassage extends Passage {
  /** Worth without age, from 0 up; see `worthOf`. */
  worth: number;
  /** Its first words: passages with equal gists have the same content. */
  readonly gist: string;
  /** For a user's passage: it may set a bound. */
  readonly isBinding?: boolean;
}

/** The prose of one message. */
export interface Entry {
  readonly seq: number;
  readonly id: string;
  readonly voice: Voice;
  readonly passages: readonly WeighedPassage[];
  readonly chars: number;
  /** For a short reply: the entry that it answers, without which it has no meaning. */
  readonly answers?: Entry;
  /** For a user's entry: a passage may set a bound. */
  readonly isBinding?: boolean;
}

/** Most characters of one message that are read as prose; a longer message is a document. */
const PROSE_CHARS = 60_000;
/** Newest calls that are searched for changed files. */
const MAX_EDITS = 3_000;
/** A reply up to this length, in characters, may need the question or the options before it. */
const REPLY_CHARS = 120;
/** A reply up to this length always needs the text that it agrees to. */
const BARE_CHARS = 24;
/** Last passages of an answered message that a short reply keeps. */
const ANSWERED_PASSAGES = 2;

/** The prose of a log and the outcomes of its calls, read once as the log grows. */
export class DigestIndex implements LogFold {
  readonly #log: ReadonlyLog;
  readonly #entries: Entry[] = [];
  readonly #calls: CallNote[] = [];
  /** Calls that wait for their result, by call id. */
  readonly #open = new Map<string, CallNote>();
  readonly #replies = new ReplyReader();
  readonly #plan = new PlanBook();
  #commit: WorkState['commit'];
  /** By the name of the loaded text; the newest load stays. */
  readonly #loaded = new Map<string, LoadedInstructions>();

  constructor(log: ReadonlyLog) {
    this.#log = log;
  }

  /** Entries of a span of the log, in order; the newest `most`. `calls` does the same for calls. */
  entries(from: number, to: number, most: number): readonly Entry[] {
    const end = firstAtLeast(this.#entries, to + 1, seqOf);
    return this.#entries.slice(Math.max(firstAtLeast(this.#entries, from, seqOf), end - most), end);
  }

  calls(from: number, to: number, most: number): readonly CallNote[] {
    const end = firstAtLeast(this.#calls, to + 1, seqOf);
    return this.#calls.slice(Math.max(firstAtLeast(this.#calls, from, seqOf), end - most), end);
  }

  /**
   * The state of the work at the end of a span, if calls of that span set it. `isBrief`: the digest has lines on all
   * calls, so only the newest plan adds something.
   */
  workState(from: number, to: number, isBrief: boolean): WorkState {
    const plan = this.#plan.planWithin(from, to, isBrief);
    const commit = this.#commit;
    const first = Math.max(from, (commit?.seq ?? -1) + 1);
    const edits = isBrief || first > to ? [] : this.calls(first, to, MAX_EDITS).filter(isDoneEdit);
    const inSpan = !isBrief && commit !== undefined && from <= commit.seq && commit.seq <= to;
    const loaded = [...this.#loaded.values()].filter(({ seq }) => from <= seq && seq <= to);
    return { ...(plan && { plan }), ...(inSpan && { commit }), edits, loaded, hasCommit: !!commit };
  }

  *read(message: LogMessage): Steps<void> {
    const { role, origin } = message;
    if (message.label === 'recalled') return;
    if (role === 'user') this.#readUser(message);
    if (role === 'assistant' && origin !== 'synthetic') {
      const called = message.parts.some(isToolCall);
      this.#add(message, 'agent', withoutOwnText(proseOf(message)), !called);
    }
    for (const [at, part] of message.parts.entries()) {
      yield;
      const reply = this.#replies.read(part);
      if (isToolCall(part)) {
        this.#plan.addCall(part, message);
        const note = noteOf(part, message);
        this.#open.set(part.callId, note);
        this.#calls.push(note);
        if (note.writtenText !== '') this.#add(message, 'written', note.writtenText);
      } else if (isToolResult(part)) {
        this.#plan.addAnswer(part);
        const note = this.#open.get(part.callId);
        this.#open.delete(part.callId);
        if (!note) continue;
        this.#answer(note, part);
        this.#load(note, message, at);
        if (reply) {
          recordVerdict(note, reply.verdict);
          this.#add(message, 'user', replyLines(note, reply));
          continue;
        }
      }
    }
  }

  #answer(note: CallNote, result: ToolResultPart): void {
    recordAnswer(note, result);
    if (note.commitText === undefined || note.ending === 'failed' || note.ending === 'not run') return;
    const text = committedIn(textOf(result)) ?? note.commitText;
    // The first commit of another repository does not replace the session's own commit.
    if (this.#commit && text.includes('(root-commit)')) return;
    this.#commit = { seq: note.seq, id: note.id, text };
  }

  #load(note: CallNote, { seq, id, size }: LogMessage, at: number): void {
    if (!loadsInstructions(note, size.parts[at]?.tokens ?? 0)) return;
    const label = note.path ?? note.label;
    this.#loaded.delete(label);
    this.#loaded.set(label, { seq, label, handle: `${id}#${at}` });
  }

  #readUser(message: LogMessage): void {
    const before = message.seq > 0 ? this.#log.at(message.seq - 1) : undefined;
    // A message that a program wrote as a whole may still contain another agent's report.
    const asUser = message.origin === 'synthetic' ? { ...message, origin: 'user' as const } : message;
    const speeches = speechesOf(asUser, before);
    this.#add(message, 'report', textBy('agent', speeches));
    if (message.origin === 'synthetic') return;
    // Recognised without context: a summary may come directly after the command that requested it.
    this.#add(message, 'earlier', hostSummaryIn(message) ?? '');
    this.#add(message, 'pasted', textBy('document', speeches));
    const words = textBy('user', speeches);
    const refuses = REFUSES.test(words);
    const answers = refuses || words.length <= REPLY_CHARS ? this.#answeredBy(words, refuses) : undefined;
    this.#add(message, 'user', words, false, answers);
  }

  /** `final`: the message ended the agent's turn, and no call followed. */
  #add({ seq, id }: LogMessage, voice: Voice, prose: string, final = false, answers?: Entry): void {
    const read =
      prose.length > PROSE_CHARS
        ? `${headOf(prose, PROSE_CHARS / 2)}\n\n${tailOf(prose, PROSE_CHARS / 2)}`
        : prose;
    const passages = passagesOf(read).map((passage, i, all): WeighedPassage => ({
      ...passage,
      worth: worthOf(passage.text, voice, final, i, all.length),
      gist: gistOf(passage.text),
      ...(voice === 'user' && mayBind(passage.text) && { isBinding: true }),
    }));
    if (passages.length === 0) return;
    const isBinding = passages.some((passage) => passage.isBinding);
    const more = { ...(answers && { answers }), ...(isBinding && { isBinding }) };
    this.#entries.push({ seq, id, voice, passages, chars: prose.length, ...more });
  }

  /** A short reply is incomplete alone: the question or options before it stay with it, and what it refuses. */
  #answeredBy(reply: string, refuses: boolean): Entry | undefined {
    const before = this.#entries.at(-1);
    if (before?.voice !== 'agent') return undefined;
    if (!refuses && reply.length > BARE_CHARS && !before.passages.some(({ text }) => ASKS.test(text)))
      return undefined;
    const chosen = /(?:^|\D)(\d{1,2})(?:\D|$)/.exec(reply)?.[1] ?? /^\W*([a-h])\b/i.exec(reply)?.[1];
    const option =
      chosen === undefined ? undefined : new RegExp(`(?:^|\\n)\\W{0,4}(?:option )?${chosen}[.):]`, 'i');
    // "Does this look right?" asks about the text before it.
    const telling = before.passages.filter(({ text }) => !isBareQuestion(text));
    const last = new Set(telling.slice(-ANSWERED_PASSAGES));
    for (const passage of before.passages) {
      if (last.has(passage) || /[?？]/.test(passage.text) || option?.test(passage.text))
        passage.worth = Math.max(passage.worth, ANSWERED_WORTH);
    }
    return before;
  }
}

/** A tool for files changed a file, or may have. */
const isDoneEdit = ({ tool, paths, ending }: CallNote): boolean =>
  tool !== '' && paths.length > 0 && ending !== 'failed' && ending !== 'not run';

/** Refuses something, which must not be proposed again. Excludes polite uses such as "no thanks" and "no problem". */
const REFUSES =
  /^\W{0,3}(?:no(?! (?:problem|worries|wonder|doubt|thanks|need|matter|idea)\b)|nope|nah|nein|non|não|нет|不(?:对|是|要|行)?[，,。!！]|いいえ|違う)(?![\p{L}\p{N}_-])/iu;

/** A question, or a numbered choice. */
const ASKS = /[?？]|(?:^|\n)\W{0,4}(?:option )?[1-9a-d][.):]\s/i;

const BARE_QUESTION_CHARS = 80;
const isBareQuestion = (text: string): boolean =>
  text.length <= BARE_QUESTION_CHARS && /[?？]\W{0,3}$/.test(text);

/** Just below the user's own text. */
export const ANSWERED_WORTH = 9;

/** The worth of a passage by its author and content; `draw` adds its age. */
function worthOf(text: string, voice: Voice, final: boolean, at: number, of: number): number {
  if (voice === 'user') return 10;
  if (voice === 'earlier') return 4.5;
  if (voice === 'pasted' || voice === 'report') return (voice === 'report' ? 4 : 5) + conclusiveness(text);
  // A commit message begins with the change.
  if (voice === 'written') return (at === 0 ? 5.5 : 4.5) + conclusiveness(text);
  // The first passage of a report has the result, the last the open points. Reasoning in prose reaches its point at the
  // end, and earlier passages are often taken back.
  const isLast = at === of - 1;
  if (final) return 5 + (at === 0 || isLast ? 1 : 0) + conclusiveness(text);
  return 3 + (isLast ? 0.5 : of > 3 ? -0.7 : 0) + conclusiveness(text);
}

const WORD = /[\p{L}\p{N}]+/gu;
/** Number of first words that identify a passage. */
const GIST_WORDS = 14;

function gistOf(text: string): string {
  const words: string[] = [];
  for (const [word] of text.matchAll(WORD)) {
    words.push(word.toLowerCase());
    if (words.length === GIST_WORDS) break;
  }
  return words.length < 4 ? text : words.join(' ');
}

const seqOf = ({ seq }: { readonly seq: number }): number => seq;
