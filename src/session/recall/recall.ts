import { callLabel, headOf as headOfText, oneLine } from '../../reading/index.js';
import { MessageRanking } from '../../stores/index.js';
import {
  isRecallAnswer,
  isRecallCall,
  isToolCall,
  textOf,
  type Log,
  type LogMessage,
  type Part,
  type ToolCallPart,
  type ViewMessage,
} from '../../transcript/index.js';
import type { Persistence } from '../persistence/persistence.js';
import type { SessionCore } from '../session-parts.js';
import { headOf, type Recalled } from './answer.js';
import { withoutCopies } from './copies.js';
import { handleOf, handlesOf, targetsOf, type Target } from './handles.js';
import { pageOf, sizeUpTo } from './page.js';
import { passagesOf, type Passage } from './passages.js';
import { rankPassages, type Ranked } from './rank.js';
import { readRequest, type CheckedRecall, type RecallRequest } from './request.js';
import { MIN_TOKENS, sharesOf } from './shares.js';
import { spread } from './spread.js';
import { wordsOf, type MessageWords } from './words-of.js';

/** Messages that a search looks into, beside those in view: the best by words of whole messages. */
const MAX_MESSAGES = 300;
/** Of a call, for those who read where an answer is from. */
const ABOUT_CHARS = 70;
/** Of a call, for the ranking of its answer. */
const CALL_CHARS = 300;
/** The first line of an answer, and the blank lines between its pieces. */
const FRAME_TOKENS = 28;
/** Before what a handle names, where none of the words asked for are in it. */
const NOT_IN_IT = '[No passage holds the words; from the beginning:]\n';
const BETWEEN_TOKENS = 2;
/** Pieces that are known to have been given. */
const MAX_GIVEN = 2_000;

interface RecallParts extends SessionCore {
  readonly persistence: Persistence;
}

/** Searches and reads the log of a session, superseded messages too. */
export class Recall {
  readonly #of: RecallParts;
  /** For sessions without a store, made when it is first asked. */
  #ranking: { readonly of: MessageRanking; readonly log: Log } | undefined;
  /** How often each piece was given. */
  readonly #given = new Map<string, number>();

  constructor(of: RecallParts) {
    this.#of = of;
  }

  /**
   * In order of the handles, or best first for a search. Rejects with `RECALL_INVALID` where nothing is asked for as it
   * has to be, and with `MESSAGE_UNKNOWN` where a handle names nothing.
   */
  async find(request: RecallRequest): Promise<Recalled[]> {
    const asked = readRequest(request);
    if (asked.handles.length === 0 && asked.query === '') return [];
    // A secret may have been given away anywhere before: all of the log is known before a word of it is shown.
    await this.#of.persistence.load();
    this.#of.thread.reader.caughtUp();
    const found = asked.handles.length > 0 ? this.#named(asked) : await this.#searched(asked);
    return found.map((one) => this.#noted(one));
  }

  #named(asked: CheckedRecall): Recalled[] {
    const targets = targetsOf(asked.handles, this.#of.thread.log);
    const found = asked.query === '' ? [] : this.#foundIn(targets, asked);
    if (found.length > 0) return found;
    // Whoever names a message wants it, also where his words are not in it.
    const note = asked.query === '' ? '' : NOT_IN_IT;
    const read = this.#read(targets, asked.maxTokens - this.#of.parts.count(note));
    return read.map((one, i) => (i === 0 ? { ...one, text: note + one.text } : one));
  }

  /** Each its share of the room; what has none is named for reading on. */
  #read(targets: readonly Target[], maxTokens: number): Recalled[] {
    const { count } = this.#of.parts;
    const room = maxTokens - FRAME_TOKENS;
    // Of more than can have a word each, no more is looked at.
    const pieces = targets.slice(0, Math.ceil(room / BETWEEN_TOKENS)).map((target) => this.#pieceOf(target));
    const heads = pieces.map(({ head }) => this.#headTokens(head));
    const sizes = pieces.map(({ text, from }, i) => sizeUpTo(text.slice(from), room, count) + heads[i]!);
    const shares = sharesOf(sizes, room);
    return shares.map((share, i): Recalled => {
      const { head, text, from, to, target } = pieces[i]!;
      const handleAt = (at: number): string => this.#handleAt(target, at);
      const page = pageOf(text, {
        from,
        to,
        maxTokens: Math.max(1, share - heads[i]!),
        count,
        handleAt,
        withEnd: target.offset === 0,
      });
      const rest = i === shares.length - 1 ? targets.slice(shares.length) : [];
      const next = [page.next ?? [], rest.length > 0 ? handlesOf(rest) : []].flat().join(', ');
      const more = rest.length > 0 ? `\n[… ${rest.length} more; recall ${handlesOf(rest)} …]` : '';
      return { ...head, text: `${page.text}${more}`, ...(next !== '' && { next }) };
    });
  }

  #pieceOf(target: Target): Piece {
    const { message, part: index, offset } = target;
    const { text, parts } = this.#wordsOf(message);
    const part = index === undefined ? undefined : parts.find((one) => one.index === index);
    const start = part?.from ?? 0;
    const to = index === undefined ? text.length : (part?.to ?? 0);
    const from = Math.min(to, start + offset);
    const head = this.#headOf(message, handleOf(target), index);
    const own = message.parts.find((one, i) => (index ?? i) === i && this.#isAnswer(message, one));
    if (own === undefined) return { target, head, text, from, to };
    const quoted = [...textOf(own).matchAll(/^\[([^\]\n]{1,200})\] /gm)].map(([, handle]) => handle!);
    const note = `[An answer of recall; what it gave is read by ${quoted.slice(0, 50).join(', ') || 'search'}]`;
    return { target, head, text: note, from: 0, to: note.length };
  }

  /** Offsets count in what the handle without them names. */
  #handleAt({ message, part }: Target, at: number): string {
    const from =
      part === undefined ? 0 : (this.#wordsOf(message).parts.find((one) => one.index === part)?.from ?? 0);
    return handleOf({ message, ...(part !== undefined && { part }), offset: at - from });
  }

  #foundIn(targets: readonly Target[], { query, limit, maxTokens }: CheckedRecall): Recalled[] {
    const passages = targets.flatMap(({ message, part, offset }) => {
      const words = this.#wordsOf(message);
      const own = this.#passagesOf(message, words).filter((one) => part === undefined || one.part === part);
      const start = part === undefined ? 0 : (words.parts.find((one) => one.index === part)?.from ?? 0);
      return own.filter(({ to }) => to > start + offset);
    });
    const ranked = rankPassages(passages, { query, callOf: this.#callWords });
    return this.#fitting(withoutCopies(spread(ranked)), limit, maxTokens);
  }

  async #searched({ query, limit, maxTokens }: CheckedRecall): Promise<Recalled[]> {
    const { log } = this.#of.thread;
    const view = this.#viewSent();
    const shown = view.filter(({ source, replaced }) => source && !replaced);
    const inView = new Set(shown.map(({ message }) => message.id));
    const hits = await this.#hits(query, MAX_MESSAGES + inView.size);
    const messages = hits.flatMap((id) => log.find(id) ?? []);
    const passages = messages.flatMap((message) => this.#passagesOf(message));
    const ranked = rankPassages(passages, { query, callOf: this.#callWords });
    const hidden = ranked.filter(({ passage }) => !inView.has(passage.message.id));
    const shownTexts = view.flatMap(({ message }) => message.parts.map(textOf));
    return this.#fitting(withoutCopies(spread(hidden), shownTexts), limit, maxTokens);
  }

  /** What the agent has before it. A view over the budget was never sent: a compaction comes first, and may take any of it. */
  #viewSent(): readonly ViewMessage[] {
    const { projection } = this.#of.thread;
    return this.#of.parts.gauge.read(projection).pressure > 1 ? [] : projection.view;
  }

  /** Ids of the messages that hold most of the words. */
  async #hits(query: string, limit: number): Promise<readonly string[]> {
    const kept = await this.#of.persistence.search(query, limit);
    if (kept) return kept.map(({ messageId }) => messageId);
    const { log } = this.#of.thread;
    if (this.#ranking?.log !== log) this.#ranking = { of: new MessageRanking(), log };
    return this.#ranking.of.search(log, query, limit).map(({ messageId }) => messageId);
  }

  /** The best that fit, neighbours joined. */
  #fitting(ranked: readonly Ranked[], limit: number, maxTokens: number): Recalled[] {
    const { count } = this.#of.parts;
    let left = maxTokens - FRAME_TOKENS;
    const chosen: FoundPassage[] = [];
    for (const { passage, score } of ranked) {
      if (chosen.length >= limit || left < MIN_TOKENS) break;
      const head = this.#headOf(passage.message, `${passage.message.id}@${passage.from}`, passage.part);
      const tokens = count(passage.text) + this.#headTokens(head);
      const isOnlyOne = chosen.length === 0;
      if (tokens > left && !isOnlyOne) continue;
      left -= tokens;
      chosen.push({ passage, score, from: passage.from, to: passage.to });
    }
    return joined(chosen).map((one) => this.#shownAs(one, maxTokens - FRAME_TOKENS));
  }

  #shownAs({ passage, score, from, to }: FoundPassage, maxTokens: number): Recalled {
    const { message, part } = passage;
    const { text } = this.#wordsOf(message);
    const start = from + (text.slice(from, to).length - text.slice(from, to).trimStart().length);
    const handleAt = (at: number): string => handleOf({ message, offset: at });
    const head = this.#headOf(message, handleAt(start), part);
    const { count } = this.#of.parts;
    const room = Math.max(1, maxTokens - this.#headTokens(head));
    const end = start + text.slice(start, to).trimEnd().length;
    const page = pageOf(text, { from: start, to: end, maxTokens: room, count, handleAt, withEnd: false });
    const next = page.next ?? (to < text.length ? handleAt(to) : undefined);
    return { ...head, text: page.text, score, ...(next !== undefined && { next }) };
  }

  #headOf(message: LogMessage, handle: string, part: number | undefined): Omit<Recalled, 'text'> {
    const about = this.#about(message, part);
    const { length } = this.#of.thread.log;
    return { handle, role: message.role, ...(about && { about }), place: message.seq, of: length };
  }

  #headTokens(head: Omit<Recalled, 'text'>): number {
    return this.#of.parts.count(headOf({ ...head, givenBefore: 1 })) + BETWEEN_TOKENS;
  }

  /** A few words of the call that a part is, or answers. */
  #about(message: LogMessage, index: number | undefined): string | undefined {
    const part =
      index === undefined ? message.parts.find(({ type }) => type === 'tool-result') : message.parts[index];
    if (part?.type === 'tool-call') return `call of ${oneLine(part.name, ABOUT_CHARS)}`;
    if (part?.type !== 'tool-result') return undefined;
    const call = this.#callBehind(message, part.callId);
    if (!call) return part.name === undefined ? 'a result' : `result of ${oneLine(part.name, ABOUT_CHARS)}`;
    const clean = this.#of.thread.reader.secrets.redact;
    return `result of ${clean(oneLine(callLabel({ ...call, arguments: clean(call.arguments) }), ABOUT_CHARS))}`;
  }

  /** Words of the call whose answer a passage is. */
  readonly #callWords = ({ message, part: index }: Passage): string => {
    const part = message.parts[index];
    const call = part?.type === 'tool-result' ? this.#callBehind(message, part.callId) : undefined;
    return call
      ? headOfText(wordsOf({ parts: [call] }, this.#of.thread.reader.secrets.redact).text, CALL_CHARS)
      : '';
  };

  #callBehind({ seq }: LogMessage, callId: string): ToolCallPart | undefined {
    const { log } = this.#of.thread;
    const calls = log.exchangeOf(seq).seqs.flatMap((at) => log.at(at).parts.filter(isToolCall));
    return calls.find((call) => call.callId === callId);
  }

  #passagesOf(message: LogMessage, words = this.#wordsOf(message)): Passage[] {
    return passagesOf(message, words, (part) => isRecallCall(part) || this.#isAnswer(message, part));
  }

  /** Whether a part is what recall itself answered. */
  #isAnswer(message: LogMessage, part: Part): boolean {
    return part.type === 'tool-result' && isRecallAnswer(part, this.#callBehind(message, part.callId)?.name);
  }

  #wordsOf(message: LogMessage): MessageWords {
    return wordsOf(message, this.#of.thread.reader.secrets.redact);
  }

  /** Says of a piece how often it was given before. */
  #noted(one: Recalled): Recalled {
    const key = `${one.handle}\n${one.text}`;
    const before = this.#given.get(key) ?? 0;
    this.#given.delete(key);
    this.#given.set(key, before + 1);
    if (this.#given.size > MAX_GIVEN) this.#given.delete(this.#given.keys().next().value!);
    return before > 0 ? { ...one, givenBefore: before } : one;
  }
}

/** What a handle names, ready to be cut. */
interface Piece {
  readonly target: Target;
  readonly head: Omit<Recalled, 'text'>;
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

interface FoundPassage {
  readonly passage: Passage;
  readonly score: number;
  from: number;
  to: number;
}

/** Passages that follow one another become one, at the place of the better. */
function joined(chosen: readonly FoundPassage[]): FoundPassage[] {
  const found: FoundPassage[] = [];
  for (const one of chosen) {
    const isNext = ({ passage, from, to }: FoundPassage): boolean =>
      passage.message === one.passage.message &&
      passage.part === one.passage.part &&
      (to === one.from || from === one.to);
    const neighbour = found.find(isNext);
    if (!neighbour) found.push({ ...one });
    else {
      neighbour.from = Math.min(neighbour.from, one.from);
      neighbour.to = Math.max(neighbour.to, one.to);
    }
  }
  return found;
}
