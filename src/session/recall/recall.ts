import { z } from 'zod/v4';
import { SpillwayError } from '../../errors/index.js';
import { textOf } from '../../transcript/index.js';
import type { Uses } from '../services.js';
import { inSlices } from '../slices.js';
import type { Recalled } from './answer.js';
import { handleOf, handlesOf, targetsOf, type Target } from './handles.js';
import { pageOf, sharesOf, sizeUpTo } from './passages.js';
import type { Passage } from './passage-index.js';
import { FRAME_TOKENS, type Search } from './search.js';

/**
 * A request by handle, by words, or by both; then the words are searched in the target of the handle. Models fill in
 * optional fields, so `null` counts as absent, and numbers may be given as text.
 */
export interface RecallRequest {
  /** As in a mark: `m12`, `m12#0`, `m3..m9`, `m4, m69`, `m80@1200`; brackets and the word "recall" are allowed. */
  readonly handle?: string | number | readonly (string | number)[] | null;
  readonly query?: string | readonly string[] | null;
  /** Most passages in the result of a search. Default 20, at most 50. */
  readonly limit?: number | null;
  /** Most tokens of the whole answer, by the session's counter. Default 2,000, from 100 to 100,000. */
  readonly maxTokens?: number | null;
}

/** A checked request. */
interface CheckedRecall {
  /** The handles as they were written; empty if the words are searched everywhere. */
  readonly handles: readonly string[];
  /** '' if there are no words to search. */
  readonly query: string;
  readonly limit: number;
  readonly maxTokens: number;
}

/** Precedes the target of a handle if it contains none of the words. */
const NOT_IN_TARGET = '[No passage holds the words; from the beginning:]\n';
/** Most words that are listed as missing. */
const MAX_MISSING = 8;
/** Most given pieces that are remembered. */
const MAX_GIVEN = 2_000;

type Parts = Uses<'thread' | 'count'> & { readonly search: Search };

/** Searches and reads the log of a session, including superseded messages. */
export class Recall {
  /** How many times each piece was given. */
  readonly #given = new Map<string, number>();

  constructor(private readonly services: Parts) {}

  /**
   * Returns pieces in the order of the handles, or of the log for a search. Rejects with `RECALL_INVALID` if the
   * request is not valid, and with `MESSAGE_UNKNOWN` if a handle names nothing.
   */
  async find(request: RecallRequest): Promise<Recalled[]> {
    return (await this.read(request)).map((one) => this.#countGiven(one));
  }

  /** Like `find`, for callers other than the agent: ignores which pieces the agent was given before. */
  async read(request: RecallRequest): Promise<Recalled[]> {
    const asked = readRequest(request);
    if (asked.handles.length === 0 && asked.query === '') return [];
    // Any message may reveal a secret, so the whole log is read before a word of it is shown.
    await inSlices(this.services.thread.reader.catchUpInSteps());
    return asked.handles.length > 0 ? await this.#readHandles(asked) : await this.#searchLog(asked);
  }

  async #readHandles(asked: CheckedRecall): Promise<Recalled[]> {
    const targets = targetsOf(asked.handles, this.services.thread.log);
    const { search, count } = this.services;
    if (asked.query !== '') {
      const { pieces } = await search.find({
        ...asked,
        among: (passage) => targets.some((one) => this.#isIn(passage, one)),
      });
      if (pieces.length > 0) return [...pieces];
    }
    // A request with a handle gets the message even if the words are not in it.
    const note = asked.query === '' ? '' : NOT_IN_TARGET;
    const read = this.#read(targets, asked.maxTokens - count(note));
    return read.map((one, i) => (i === 0 ? { ...one, text: note + one.text } : one));
  }

  #isIn(passage: Passage, { message, part, offset }: Target): boolean {
    if (passage.message !== message || (part !== undefined && passage.part !== part)) return false;
    const { words } = this.services.search;
    const { at, within } = words.placeOf(passage);
    return at[1] > (part === undefined ? 0 : within[0]) + offset;
  }

  async #searchLog({ query, limit, maxTokens }: CheckedRecall): Promise<Recalled[]> {
    const { search, count } = this.services;
    const missing = (await search.missing(query)).slice(0, MAX_MISSING);
    const note = missing.length === 0 ? '' : `[In no message: ${missing.join(', ')}]\n`;
    const room = Math.max(FRAME_TOKENS, maxTokens - count(note));
    const { pieces, inView } = await search.find({ query, limit, maxTokens: room });
    const told = pieces.length === 0 ? inView.slice(0, 1) : [];
    return [...pieces, ...told].map((one, i) => (i === 0 ? { ...one, text: note + one.text } : one));
  }

  /** Reads each target within its share of the room. Targets without a share are named for reading on. */
  #read(targets: readonly Target[], maxTokens: number): Recalled[] {
    const { count } = this.services;
    const room = maxTokens - FRAME_TOKENS;
    // No more targets than can have a word each.
    const pieces = targets.slice(0, Math.ceil(room / 2)).map((target) => this.#pieceOf(target));
    const heads = pieces.map(({ head }) => this.services.search.headTokens(head));
    const sizes = pieces.map(({ text, from }, i) => sizeUpTo(text.slice(from), room, count) + heads[i]!);
    const shares = sharesOf(sizes, room);
    return shares.map((share, i): Recalled => {
      const { head, text, start, from, to, target } = pieces[i]!;
      // Offsets are relative to the target of the handle without an offset.
      const handleAt = (at: number): string => handleOf({ ...target, offset: at - start });
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
    const { words } = this.services.search;
    const { message, part: index, offset } = target;
    const { text, parts } = words.cleanWordsOf(message);
    const part = index === undefined ? undefined : parts.find((one) => one.index === index);
    const start = part?.from ?? 0;
    const to = index === undefined ? text.length : (part?.to ?? 0);
    const from = Math.min(to, start + offset);
    const head = words.headOf(message, handleOf(target), index);
    const own = message.parts.find((one, i) => (index ?? i) === i && words.isAnswer(message, one));
    if (own === undefined) return { target, head, text, start, from, to };
    const quoted = [...textOf(own).matchAll(/^\[([^\]\n]{1,200})\] /gm)].map(([, handle]) => handle!);
    const note = `[An answer of recall; what it gave is read by ${quoted.slice(0, 50).join(', ') || 'search'}]`;
    return { target, head, text: note, start, from: 0, to: note.length };
  }

  /** Adds to a piece how many times it was given before. */
  #countGiven(one: Recalled): Recalled {
    const key = `${one.handle}\n${one.text}`;
    const before = this.#given.get(key) ?? 0;
    this.#given.delete(key);
    this.#given.set(key, before + 1);
    if (this.#given.size > MAX_GIVEN) this.#given.delete(this.#given.keys().next().value!);
    return before > 0 ? { ...one, givenBefore: before } : one;
  }
}

/** The words of a handle's target, ready to be cut. */
interface Piece {
  readonly target: Target;
  readonly head: Omit<Recalled, 'text'>;
  readonly text: string;
  /** Position at which the target begins in the text, and the range that is read. */
  readonly start: number;
  readonly from: number;
  readonly to: number;
}

const DEFAULT_PASSAGES = 20;
const MAX_PASSAGES = 50;
const DEFAULT_TOKENS = 2_000;
const MAX_TOKENS = 100_000;
/** With fewer tokens there is only room for the source of a piece. */
const MIN_ROOM = 100;
const MAX_HANDLES = 1_000;
/** Only the beginning of a longer query counts. */
const MAX_QUERY_CHARS = 20_000;

const named = z.union([z.string(), z.number().int()]).transform(String);
const count = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^\s*\d+\s*$/)
      .transform(Number),
  ])
  .pipe(z.number().int().min(1));
const ALLOWED =
  'an object with handle (a text such as m12, m3..m9 or m4, m69), query (words), limit (a whole number from 1) and maxTokens (from 100); handle or query must be there';

const schema = z.strictObject({
  handle: z.union([named, z.array(named).max(MAX_HANDLES)]).nullish(),
  query: z.union([z.string(), z.array(z.string())]).nullish(),
  limit: count.nullish(),
  maxTokens: count.pipe(z.number().min(MIN_ROOM)).nullish(),
});

/** Throws `RECALL_INVALID`, which names the first fault. */
function readRequest(request: unknown): CheckedRecall {
  const read = schema.safeParse(request);
  if (!read.success) {
    const [issue] = read.error.issues;
    const [field] = issue?.code === 'unrecognized_keys' ? issue.keys : (issue?.path ?? []);
    const subject = field === undefined ? 'what to recall' : `${String(field)} of what to recall`;
    throw invalid(subject, valueAt(request, field));
  }
  const { handle, query, limit, maxTokens } = read.data;
  const handles = (Array.isArray(handle) ? handle : [handle ?? '']).filter((one) => one.trim() !== '');
  const isAsked = handles.length > 0 || typeof query === 'string' || Array.isArray(query);
  if (!isAsked) throw invalid('what to recall', request);
  const words = Array.isArray(query) ? query.join(' ') : (query ?? '');
  return {
    handles,
    query: words.trim().slice(0, MAX_QUERY_CHARS),
    limit: Math.min(limit ?? DEFAULT_PASSAGES, MAX_PASSAGES),
    maxTokens: Math.min(maxTokens ?? DEFAULT_TOKENS, MAX_TOKENS),
  };
}

function invalid(subject: string, found: unknown): SpillwayError {
  return new SpillwayError('RECALL_INVALID', {
    subject,
    found,
    allowed: ALLOWED,
    remedy: 'Give the handle as the mark shows it, or search with a query.',
  });
}

function valueAt(request: unknown, field: PropertyKey | undefined): unknown {
  return field === undefined ? request : (request as Readonly<Record<PropertyKey, unknown>>)[field];
}
