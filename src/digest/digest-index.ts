import {
  isToolCall,
  isToolResult,
  textOf,
  type LogFold,
  type LogMessage,
  type ReadonlyLog,
  type ToolResultPart,
} from '../transcript/index.js';
import {
  answer,
  boundsBySentence,
  conclusiveness,
  hostSummaryIn,
  judge,
  mends,
  noteOf,
  passagesOf,
  proseOf,
  ReplyReader,
  reportIn,
  RunningCommands,
  speechesOf,
  tellsOfFailure,
  textBy,
  withoutOwnText,
  wordsOf,
  type CallNote,
  type Passage,
} from '../reading/index.js';
import { replyLines } from './reply-lines.js';

/**
 * Whose words an entry holds. `pasted`: what a user put in from elsewhere; `written`: a text of the agent that stands in
 * a call; `report`: what another agent handed back; `earlier`: a summary that a host made.
 */
export type Voice = 'user' | 'pasted' | 'agent' | 'written' | 'report' | 'earlier';

/** A passage with what decides whether it stays. */
export interface Weighed extends Passage {
  /** Without its age: from 0 up; see `worthOf`. */
  worth: number;
  /** Its first words: two passages with the same say the same. */
  readonly gist: string;
}

/** What one message says, in prose. */
export interface Entry {
  readonly seq: number;
  readonly id: string;
  readonly voice: Voice;
  readonly passages: readonly Weighed[];
  readonly chars: number;
  /** It ended the agent's turn: nothing was called behind it. */
  readonly final: boolean;
  /** Of a short reply: what it answers, without which it says nothing. */
  readonly answers?: Entry;
  /** Of a user: it sets a bound. */
  readonly binds?: boolean;
}

/** Most characters of one message that are read for its prose; a longer one is a document. */
const PROSE_CHARS = 60_000;
/** Failures that wait for a run which mends them. */
const MOST_FAILED = 40;
/** A reply up to this length may make no sense without the question or the options before it, in characters. */
const REPLY_CHARS = 120;
/** One up to this length makes none without what it agrees to. */
const BARE_CHARS = 24;
/** Passages at the end of the answered message that a short reply keeps in sight. */
const ANSWERED_PASSAGES = 2;

/** What the words of a log say and what its calls came to, read once as the log grows. */
export class DigestIndex implements LogFold {
  readonly #log: ReadonlyLog;
  readonly #entries: Entry[] = [];
  readonly #calls: CallNote[] = [];
  /** By call id: calls that wait for their result. */
  readonly #open = new Map<string, CallNote>();
  readonly #replies = new ReplyReader();
  readonly #running = new RunningCommands<CallNote>();
  /** The host has told of a run that failed: it tells of each. */
  #isTold = false;
  /** Runs that failed and that no later one has mended, oldest first. */
  #failed: CallNote[] = [];

  constructor(log: ReadonlyLog) {
    this.#log = log;
  }

  /** Entries and calls of a stretch of the log, in order; of the entries the newest `most`. */
  entries(from: number, to: number, most: number): readonly Entry[] {
    const end = lowerBound(this.#entries, to + 1);
    return this.#entries.slice(Math.max(lowerBound(this.#entries, from), end - most), end);
  }

  calls(from: number, to: number, most: number): readonly CallNote[] {
    const end = lowerBound(this.#calls, to + 1);
    return this.#calls.slice(Math.max(lowerBound(this.#calls, from), end - most), end);
  }

  read(message: LogMessage): void {
    const { role, origin } = message;
    if (role === 'user') this.#readUser(message);
    if (role === 'assistant' && origin !== 'synthetic') {
      const called = message.parts.some(isToolCall);
      this.#add(message, 'agent', withoutOwnText(proseOf(message)), !called);
    }
    for (const part of message.parts) {
      const reply = this.#replies.read(part);
      if (isToolCall(part)) {
        const begun = this.#running.begunBy(part);
        const note = begun ?? noteOf(part, message);
        this.#open.set(part.callId, note);
        // To wait is no act of its own.
        if (begun) continue;
        this.#calls.push(note);
        if (note.written !== '') this.#add(message, 'written', note.written, false);
      } else if (isToolResult(part)) {
        const note = this.#open.get(part.callId);
        this.#open.delete(part.callId);
        if (!note) continue;
        this.#answer(note, part);
        if (reply) {
          judge(note, reply.verdict);
          this.#hear(message, replyLines(note, reply), wordsOf(reply));
          continue;
        }
        this.#add(message, 'report', reportIn(note.tool, textOf(part)), false);
      }
    }
  }

  #answer(note: CallNote, result: ToolResultPart): void {
    answer(note, result, this.#isTold);
    if (note.kind === 'run') this.#isTold ||= tellsOfFailure(textOf(result));
    this.#running.note(note, textOf(result));
    if (note.ending === 'failed') this.#failed = [...this.#failed.slice(-MOST_FAILED), note];
    if (note.ending !== 'passed') return;
    this.#failed = this.#failed.filter((older) => {
      if (mends(note, older)) older.mendedBy = note.id;
      return older.mendedBy === undefined;
    });
  }

  #readUser(message: LogMessage): void {
    const before = message.seq > 0 ? this.#log.at(message.seq - 1) : undefined;
    // A message that a program made whole may still hold what another agent reported.
    const asSent = message.origin === 'synthetic' ? { ...message, origin: 'user' as const } : message;
    const speeches = speechesOf(asSent, before);
    this.#add(message, 'report', textBy('agent', speeches), false);
    if (message.origin === 'synthetic') return;
    // Told without what stands before: a summary is one even right behind the command that asked for it.
    this.#add(message, 'earlier', hostSummaryIn(message) ?? '', false);
    this.#add(message, 'pasted', textBy('document', speeches), false);
    const words = textBy('user', speeches);
    const refuses = REFUSES.test(words);
    const answers = refuses || words.length <= REPLY_CHARS ? this.#answeredBy(words, refuses) : undefined;
    this.#hear(message, words, words, answers);
  }

  /** `text`: what the user said as it is to stand; `words`: what of it is his own. */
  #hear(message: LogMessage, text: string, words: string, answers?: Entry): void {
    const binds = boundsBySentence(words).some(({ bounds }) => bounds.length > 0);
    this.#add(message, 'user', text, false, { ...(answers && { answers }), ...(binds && { binds }) });
  }

  #add(
    { seq, id }: LogMessage,
    voice: Voice,
    prose: string,
    final: boolean,
    more: Pick<Entry, 'answers' | 'binds'> = {},
  ): void {
    const read =
      prose.length > PROSE_CHARS
        ? `${prose.slice(0, PROSE_CHARS / 2)}\n\n${prose.slice(-PROSE_CHARS / 2)}`
        : prose;
    const passages = passagesOf(voice === 'user' ? read : withoutTargets(read)).map(
      (passage, i, all): Weighed => ({
        ...passage,
        worth: worthOf(passage.text, voice, final, i, all.length),
        gist: gistOf(passage.text),
      }),
    );
    if (passages.length === 0) return;
    this.#entries.push({ seq, id, voice, passages, chars: prose.length, final, ...more });
  }

  /** A short reply is no sentence of its own: the question or the options before it stay with it, and what was refused. */
  #answeredBy(reply: string, refuses: boolean): Entry | undefined {
    const before = this.#entries.at(-1);
    if (before?.voice !== 'agent') return undefined;
    if (!refuses && reply.length > BARE_CHARS && !before.passages.some(({ text }) => ASKS.test(text)))
      return undefined;
    const chosen = /(?:^|\D)(\d{1,2})(?:\D|$)/.exec(reply)?.[1] ?? /^\W*([a-h])\b/i.exec(reply)?.[1];
    const option =
      chosen === undefined ? undefined : new RegExp(`(?:^|\\n)\\W{0,4}(?:option )?${chosen}[.):]`, 'i');
    before.passages.forEach((passage, i) => {
      const isLast = i >= before.passages.length - ANSWERED_PASSAGES;
      if (isLast || /[?？]/.test(passage.text) || option?.test(passage.text))
        passage.worth = Math.max(passage.worth, ANSWERED_WORTH);
    });
    return before;
  }
}

/** `[search.go:350](https://…)`. */
const LINK = /\[([^[\]\n]{3,240})\]\(((?:https?:|\/|\[)[^()\n]{30,400})\)/g;

/** Where the label of a link names the thing, its address is read back by recall; of a file its end stays. */
function withoutTargets(prose: string): string {
  if (!prose.includes('](')) return prose;
  return prose.replaceAll(LINK, (link, label: string, address: string) => {
    const target = address.startsWith('[') ? address.slice(1, -1) : address;
    return /[\d#./]/.test(label) || isFile(target) ? `[${label}](…${endOf(target, label)})` : link;
  });
}

const FOLDERS = 2;
const FILE = /\.\w{1,8}(?::\d{1,7}){0,2}$/;

/** A file of this machine, not a page. */
const isFile = (target: string): boolean => target.startsWith('/') && FILE.test(target);

/** Of the address of a file the folders, `/internal/sem/`, and its name where the label does not say it; '' elsewhere. */
function endOf(target: string, label: string): string {
  const segments = target.split(/[?#]/, 1)[0]!.split('/');
  const file = segments.pop()!;
  if (!FILE.test(file)) return '';
  // What stands before a commit says where it is served, not where it lies.
  const lead = segments.findLastIndex((segment) => segment === '' || /^[0-9a-f]{20,64}$/.test(segment));
  const folders = segments.slice(Math.max(lead + 1, segments.length - FOLDERS));
  const name = file.replace(/(?::\d{1,7}){1,2}$/, '');
  if (label.includes([...folders, name].join('/'))) return '';
  return ['', ...folders, label.includes(name) ? '' : file].join('/');
}

/** Says no to what stands before: what that was is not to be proposed again. No thanks, and no `no problem`. */
const REFUSES =
  /^\W{0,3}(?:no(?! (?:problem|worries|wonder|doubt|thanks|need|matter|idea)\b)|nope|nah|nein|non|não|нет|不(?:对|是|要|行)?[，,。!！]|いいえ|違う)(?![\p{L}\p{N}_-])/iu;

/** A question, or a numbered choice. */
const ASKS = /[?？]|(?:^|\n)\W{0,4}(?:option )?[1-9a-d][.):]\s/i;

/** Just below the user's own words. */
export const ANSWERED_WORTH = 9;

/** What a passage is worth by whose it is and what it says; `draw` adds its age. */
function worthOf(text: string, voice: Voice, final: boolean, at: number, of: number): number {
  if (voice === 'user') return 10;
  if (voice === 'earlier') return 4.5;
  if (voice === 'pasted' || voice === 'report') return (voice === 'report' ? 4 : 5) + conclusiveness(text);
  // A commit message begins with what was done.
  if (voice === 'written') return (at === 0 ? 5.5 : 4.5) + conclusiveness(text);
  // The first passage of a report says the result, the last what is open. Thinking aloud comes to its point at the end:
  // what stands before is often taken back.
  const isLast = at === of - 1;
  if (final) return 5 + (at === 0 || isLast ? 1 : 0) + conclusiveness(text);
  return 3 + (isLast ? 0.5 : of > 3 ? -0.7 : 0) + conclusiveness(text);
}

const WORD = /[\p{L}\p{N}]+/gu;
/** So many first words tell passages apart. */
const GIST_WORDS = 14;

function gistOf(text: string): string {
  const words: string[] = [];
  for (const [word] of text.matchAll(WORD)) {
    words.push(word.toLowerCase());
    if (words.length === GIST_WORDS) break;
  }
  return words.length < 4 ? text : words.join(' ');
}

function lowerBound(items: readonly { readonly seq: number }[], seq: number): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (items[middle]!.seq < seq) low = middle + 1;
    else high = middle;
  }
  return low;
}
