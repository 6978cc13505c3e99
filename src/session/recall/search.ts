import { headOf, oneLine } from '../../text/reading/index.js';
import {
  isToolCall,
  partHandle,
  type Log,
  type LogMessage,
  type Part,
  type ViewMessage,
} from '../../transcript/index.js';
import type { Uses } from '../services.js';
import { headLine, type Recalled } from './answer.js';
import {
  filtered,
  inTurns,
  isBare,
  KnownLines,
  MIN_OF_BEST,
  ifRelevant,
  spread,
  withLiterals,
} from './choose.js';
import { LogWords, rawWordsOf } from './log-words.js';
import { enclosing, MIN_TOKENS, pageOf } from './passages.js';
import { PassageIndex, type Passage, type Ranked } from './passage-index.js';
import { namesIn, wordsOfQuery } from './words.js';

export interface SearchRequest {
  readonly query: string;
  /** Most pieces in the result. */
  readonly limit: number;
  readonly maxTokens: number;
  /** Selects the passages to search, in view or not. If absent, all passages that left the view are searched. */
  readonly among?: ((passage: Passage) => boolean) | undefined;
  /** Whether a passage tells enough for it and others near the best to be found. If absent, all may be found. */
  readonly isRelevant?: (one: Ranked) => boolean;
}

export interface Found {
  /** Found pieces, in the order of the log. */
  readonly pieces: readonly Recalled[];
  /** The messages of the pieces. */
  readonly messages: readonly LogMessage[];
  /** The best passages that are left out because they are in view. */
  readonly inView: readonly Recalled[];
}

/** Tokens of an answer's first line; below, those of the blank lines between its pieces. */
export const FRAME_TOKENS = 28;
const BETWEEN_TOKENS = 2;
/** Most characters of a result next to a piece of its call, or of a call next to a piece of its result. */
const PARTNER_CHARS = 300;
/** Most characters by which a passage in view is identified. */
const SHOWN_CHARS = 160;
/** Number of first places of a ranking at which a passage in view is reported. */
const MAX_RANK_IN_VIEW = 3;
const MAX_TOPICS = 8;
/** Most passages of one message in an answer. Of 1, 2 and all, 2 found most (docs/decisions/0030). */
const MAX_OF_ONE = 2;
/** Missing words are only reported from this many first characters of a query. */
const MAX_NAMED_CHARS = 1_000;

/** Searches the log of one thread, including compacted messages. */
export class Search {
  readonly words: LogWords;
  #index: PassageIndex | undefined;

  constructor(private readonly services: Uses<'thread' | 'gauge' | 'count'>) {
    this.words = new LogWords(services.thread);
  }

  /** The index of the present log, even if it is rolled back during the reading. Created on first use. */
  async index(): Promise<PassageIndex> {
    for (;;) {
      const index = this.#indexOf(this.services.thread.log);
      await index.catchUp();
      if (index.log === this.services.thread.log) return index;
    }
  }

  #indexOf(log: Log): PassageIndex {
    if (this.#index?.log === log) return this.#index;
    const callOf = (message: LogMessage, part: Part): { name: string; words: string } => {
      const call = this.words.answeredCall(message, part, log);
      return { name: call?.name ?? '', words: call ? rawWordsOf({ parts: [call] }).text : '' };
    };
    return (this.#index = new PassageIndex({ log, wordsOf: rawWordsOf, callOf }));
  }

  async find({ query, limit, maxTokens, among, isRelevant }: SearchRequest): Promise<Found> {
    const index = await this.index();
    const view = among ? [] : this.#viewSent();
    const shown = new Map(
      view.flatMap(({ source, replaced }) => (source && !replaced ? [[source.id, source]] : [])),
    );
    const isOutOfView = ({ message }: Passage): boolean => !shown.has(message.id);
    const lists = topicsOf(query).map((topic) => ({ topic, all: index.search(topic, among ?? isOutOfView) }));
    if (isRelevant && !lists.some(({ all }) => all.some(isRelevant)))
      return { pieces: [], messages: [], inView: [] };
    const textOf = ({ passage }: Ranked): string => this.#textOf(passage);
    // Passages are chosen with their secrets, which is quicker; the secrets are removed when passages are shown.
    const rawOf = ({ passage }: Ranked): string => this.words.rawOf(passage);
    let least: number | undefined;
    const ranked = inTurns(
      lists.map(({ topic, all }) => spread(withLiterals(all, topic, rawOf, textOf))),
      ({ score }) => least !== undefined && score < least,
    );
    const inView: Recalled[] = [];
    const lines = new KnownLines(view);
    const asked = wordsOfQuery(query);
    const isNew = (one: Ranked, rank: number): boolean => {
      if (!lines.knowsOrAdds(rawOf(one), asked)) {
        if (isRelevant) least ??= MIN_OF_BEST * one.score;
        return true;
      }
      if (rank < MAX_RANK_IN_VIEW) inView.push(this.#inViewNote(one));
      return false;
    };
    const bare: Ranked[] = [];
    const isTelling = (one: Ranked): boolean => {
      const tellsNothing = isBare(rawOf(one));
      if (tellsNothing) bare.push(one);
      return !tellsNothing;
    };
    const fewEach = among ? (all: Iterable<Ranked>): Iterable<Ranked> => all : fewOfEach;
    const fresh = filtered(ranked, isNew);
    const telling = filtered(isRelevant ? ifRelevant(fresh, isRelevant) : fresh, isTelling);
    let chosen = this.#fitting(fewEach(telling), limit, maxTokens);
    if (chosen.length === 0) chosen = this.#fitting(fewEach(bare), limit, maxTokens);
    const pieces = chosen.map((one) => this.#shownAs(one, maxTokens));
    return { pieces, messages: chosen.map(({ passage }) => passage.message), inView };
  }

  /** Words of a query that no message contains as they are written. */
  async missing(query: string): Promise<readonly string[]> {
    const index = await this.index();
    return namesIn(headOf(query, MAX_NAMED_CHARS)).filter((name) => index.holders(name.toLowerCase()) === 0);
  }

  headTokens(head: Omit<Recalled, 'text'>): number {
    return this.services.count(headLine({ ...head, givenBefore: 1 })) + BETWEEN_TOKENS;
  }

  /** The agent's view. A view over the budget was never sent: a compaction comes first, and may remove any of it. */
  #viewSent(): readonly ViewMessage[] {
    const { projection } = this.services.thread;
    return this.services.gauge.read(projection).pressure > 1 ? [] : projection.view;
  }

  #textOf(passage: Passage): string {
    return this.words.cleanWordsOf(passage.message).text.slice(...this.words.placeOf(passage).at);
  }

  /** The best passages that fit, each with its surrounding block, in the order of the log. Neighbours are joined. */
  #fitting(ranked: Iterable<Ranked>, limit: number, maxTokens: number): Chosen[] {
    const { count } = this.services;
    let left = maxTokens - FRAME_TOKENS;
    const chosen: Chosen[] = [];
    for (const { passage, score } of ranked) {
      if (chosen.length >= limit || left < MIN_TOKENS) break;
      const { message } = passage;
      const { text } = this.words.cleanWordsOf(message);
      const { at, within } = this.words.placeOf(passage);
      const partner = this.#partner(passage);
      const head =
        this.headTokens(this.words.headOf(message, `${message.id}@${at[0]}`, passage.part)) + count(partner);
      const grown = enclosing(text, at, within);
      const fits = [grown, at].find(([from, to]) => count(text.slice(from, to)) + head <= left);
      if (!fits && chosen.length > 0) continue;
      const [from, to] = fits ?? at;
      left -= count(text.slice(from, to)) + head;
      const neighbour = chosen.find((one) => touches(one, passage, from, to));
      if (!neighbour) chosen.push({ passage, score, from, to, partner });
      else {
        neighbour.from = Math.min(neighbour.from, from);
        neighbour.to = Math.max(neighbour.to, to);
      }
    }
    return chosen.sort((a, b) => a.passage.message.seq - b.passage.message.seq || a.from - b.from);
  }

  /** For a call its result, and for a result its call, unless the head of the piece already says it. */
  #partner({ message, part: index }: Passage): string {
    const part = message.parts[index]!;
    if (isToolCall(part)) {
      const result = this.words.resultOf(message, part);
      const text = result ? this.words.partText(result.message, result.part).trim() : '';
      if (!result || text === '' || isBare(text)) return '';
      return `\n[its result ${partHandle(result.message.id, result.part)}] ${oneLine(text, PARTNER_CHARS)}`;
    }
    const call = this.words.answeredCall(message, part);
    const text = call ? this.words.clean(rawWordsOf({ parts: [call] }).text) : '';
    if (text.length <= SHOWN_CHARS) return '';
    return `\n[its call] ${oneLine(text, PARTNER_CHARS)}`;
  }

  #shownAs({ passage, score, from, to, partner }: Chosen, maxTokens: number): Recalled {
    const { message, part } = passage;
    const { text } = this.words.cleanWordsOf(message);
    const { count } = this.services;
    const start = from + (text.slice(from, to).length - text.slice(from, to).trimStart().length);
    const handleAt = (at: number): string => (at > 0 ? `${message.id}@${at}` : message.id);
    const head = this.words.headOf(message, handleAt(start), part);
    const room = Math.max(1, maxTokens - FRAME_TOKENS - this.headTokens(head));
    const end = start + text.slice(start, to).trimEnd().length;
    const own = Math.max(1, room - count(partner));
    const page = pageOf(text, { from: start, to: end, maxTokens: own, count, handleAt, withEnd: false });
    const next = page.next ?? (to < text.length ? handleAt(to) : undefined);
    const fits = count(page.text + partner) <= room;
    return {
      ...head,
      text: fits ? page.text + partner : page.text,
      score,
      ...(next !== undefined && { next }),
    };
  }

  #inViewNote({ passage, score }: Ranked): Recalled {
    const { message, part } = passage;
    const head = this.words.headOf(message, message.id, part);
    return {
      ...head,
      text: `[In view: ${headOf(oneLine(this.#textOf(passage), SHOWN_CHARS), SHOWN_CHARS)}]`,
      score,
    };
  }
}

interface Chosen {
  readonly passage: Passage;
  readonly score: number;
  from: number;
  to: number;
  readonly partner: string;
}

const touches = (one: Chosen, passage: Passage, from: number, to: number): boolean =>
  one.passage.message === passage.message &&
  one.passage.part === passage.part &&
  from <= one.to &&
  one.from <= to;

/** The topics of a query, which semicolons separate and which take turns in the answer. */
function topicsOf(query: string): readonly string[] {
  if (!query.includes(';')) return [query];
  const parts = query.split(';').filter((topic) => wordsOfQuery(topic).length > 0);
  return parts.length > 1 && parts.length <= MAX_TOPICS ? parts : [query];
}

/** The best passages of each message; otherwise a long listing would take all the room. */
function fewOfEach(ranked: Iterable<Ranked>): Iterable<Ranked> {
  const taken = new Map<LogMessage, number>();
  return filtered(ranked, ({ passage: { message } }) => {
    const count = (taken.get(message) ?? 0) + 1;
    taken.set(message, count);
    return count <= MAX_OF_ONE;
  });
}
