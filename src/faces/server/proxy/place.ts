import { hash, randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isStoreFailure, SpillwayError } from '../../../errors/index.js';
import type { Compared, Session } from '../../../session/index.js';
import { NO_SIZE, textOf, type Message } from '../../../transcript/index.js';
import { formatNamed, instructionsIn, isFields, jsonText, type Fields } from '../../../formats/index.js';
import { ownId, type Caller } from '../access.js';
import type { AboutSession } from '../../operations/index.js';
import type { Service } from '../service.js';

/** Sessions of one beginning that are remembered; older ones are not found again. */
const MOST_ALIKE = 32;

/** Where clients say which of their own sessions a request is of: Claude Code, Codex, and what is made like them. */
const OWN_HEADERS = [
  'x-claude-code-session-id',
  'session_id',
  'session-id',
  'x-session-id',
  'conversation_id',
];

export interface SessionRequest {
  readonly caller: Caller;
  readonly format: string;
  readonly headers: IncomingHttpHeaders;
  /** What the header calls its session. */
  readonly named?: string | undefined;
  readonly body: Fields;
  /** Those of the body. */
  readonly messages: readonly unknown[];
  /** Sessions that turned out to be of other conversations. */
  readonly without?: ReadonlySet<string>;
}

/** A session that a history goes on from, or only sits beside notes that moved. */
interface Found {
  readonly session: Session;
  readonly fresh: Compared['fresh'];
}

/** A session that a history begins with and leaves. */
interface Left {
  readonly sessionId: string;
  readonly answers: number;
}

/**
 * Finds the session of each request of each tenant, and makes those that are not there. Sessions are looked up by the hash
 * of their first messages, within what the client itself calls its session; whether a history goes on from one is told by
 * its log, message by message.
 */
export class Places {
  readonly #service: Service;
  /** Hash of a beginning -> sessions that begin so, newest first. */
  readonly #alike = new Map<string, readonly string[]>();
  /** What is under way for a beginning: two requests of one new conversation are not to make two sessions. */
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(service: Service) {
    this.#service = service;
  }

  async sessionOf(asked: SessionRequest): Promise<Session> {
    if (asked.named === undefined) return this.#byHistory(asked);
    try {
      return await this.#open(ownId(asked.caller, asked.named), aboutOf(asked));
    } catch (error) {
      // The name belongs to a session of another wire, or nobody knows what it belongs to: the client's history is all there is.
      if (error instanceof SpillwayError && error.code === 'SESSION_FORMAT') return this.#byHistory(asked);
      unlessAway(error);
      const beside = await this.#byHistory(asked);
      beside.storeFailed(error);
      return beside;
    }
  }

  /** Requests that begin alike go one after the other, and wait for no others. */
  #byHistory(asked: SessionRequest): Promise<Session> {
    const beginnings = beginningsOf(asked);
    const key = beginnings.at(-1)!;
    const before = this.#turns.get(key);
    const found = (before ?? Promise.resolve()).then(() => this.#sessionOf(asked, beginnings));
    const over = Promise.allSettled([found]);
    this.#turns.set(key, over);
    void over.then(() => this.#turns.get(key) === over && this.#turns.delete(key));
    return found;
  }

  /** The session that a request goes on from, with what of its messages is new there. Nothing is made or learned. */
  async known(
    asked: SessionRequest,
  ): Promise<{ readonly session: Session; readonly fresh: readonly Message[] } | undefined> {
    const alike = new Set(beginningsOf(asked).flatMap((beginning) => this.#alike.get(beginning) ?? []));
    const { found } = await this.#bestOf(alike, asked);
    return found?.fresh && { session: found.session, fresh: found.fresh };
  }

  async #sessionOf(asked: SessionRequest, beginnings: readonly string[]): Promise<Session> {
    const near: string[] = [];
    let left: Left | undefined;
    for (const beginning of beginnings)
      for (const alike of [async () => this.#alike.get(beginning), () => this.#stored(beginning)]) {
        const ids = ((await alike()) ?? []).filter((id) => !near.includes(id));
        near.push(...ids);
        const { found, left: other } = await this.#bestOf(ids, asked);
        if (other && other.answers > (left?.answers ?? 0)) left = other;
        if (!found) continue;
        // More of its answers are known now, and tell it from others of its beginning.
        await this.#move(found.session.id, beginnings, beginning);
        return found.session;
      }
    const sessionId = ownId(asked.caller, `s-${randomUUID().slice(0, 13)}`);
    const about: AboutSession = { ...aboutOf(asked), ...(left && { forkOf: left.sessionId }) };
    const session = await this.#service.sessionFor({ sessionId, agentPath: 'primary' }, about, true);
    await this.#move(sessionId, beginnings);
    return session;
  }

  /**
   * Of these sessions the one that holds most of a history and nothing else; else one where only notes have moved. Beside it
   * the one with most of the answers that a history begins with, of those that it left: who asked the same and was answered
   * otherwise shares nothing.
   */
  async #bestOf(
    sessionIds: Iterable<string>,
    asked: SessionRequest,
  ): Promise<{ readonly found?: Found; readonly left?: Left }> {
    const { commands } = this.#service.settings.server;
    let found: Found | undefined;
    let left: Left | undefined;
    for (const sessionId of sessionIds) {
      if (asked.without?.has(sessionId)) continue;
      const session = await this.#open(sessionId, aboutOf(asked)).catch(unlessAway);
      const compared = await session?.compare(asked.body, { commands }).catch(unlessAway);
      if (!session || !compared) continue;
      const { isFork, fresh, answers } = compared;
      if (isFork && answers > (left?.answers ?? 0)) left = { sessionId, answers };
      if (isFork || (found && (!fresh || (found.fresh && found.fresh.length <= fresh.length)))) continue;
      found = { session, fresh };
    }
    return { ...(found && { found }), ...(left && { left }) };
  }

  /**
   * Newest first. Undefined where the store is away: sessions that are found by it are made anew, from the history of their
   * client.
   */
  async #stored(beginning: string): Promise<readonly string[] | undefined> {
    const stored = await this.#service.store.values(scopeOf(beginning)).catch(unlessAway);
    const sessions =
      stored && (Object.entries(stored) as [string, number][]).toSorted(([, a], [, b]) => b - a);
    return sessions?.map(([sessionId]) => sessionId);
  }

  /** Says, to other processes too, how a session begins: without the beginning before any answer, once it has more. */
  async #move(sessionId: string, beginnings: readonly string[], found?: string): Promise<void> {
    const before = beginnings.at(-1)!;
    for (const to of beginnings.length === 1 ? beginnings : beginnings.slice(0, -1))
      await this.#put(to, sessionId);
    if (found !== before || beginnings.length === 1) return;
    this.#alike.set(
      before,
      (this.#alike.get(before) ?? []).filter((id) => id !== sessionId),
    );
    await this.#store(before, sessionId, undefined);
  }

  /** Only what changes is written; nothing, where the store is away. */
  async #put(to: string, sessionId: string): Promise<void> {
    const known = this.#alike.get(to);
    this.#alike.delete(to);
    this.#alike.set(to, [sessionId, ...(known ?? []).filter((id) => id !== sessionId)].slice(0, MOST_ALIKE));
    const [oldest] = this.#alike.keys();
    if (this.#alike.size > this.#service.settings.server.sessions) this.#alike.delete(oldest!);
    if (known?.includes(sessionId)) return;
    const stored = await this.#stored(to);
    if (!stored || stored.slice(0, MOST_ALIKE).includes(sessionId)) return;
    await this.#store(to, sessionId, Date.now());
    for (const old of stored.slice(MOST_ALIKE - 1)) await this.#store(to, old, undefined);
  }

  async #store(beginning: string, sessionId: string, since: number | undefined): Promise<void> {
    await this.#service.store.setValue(scopeOf(beginning), sessionId, since).catch(unlessAway);
  }

  #open(sessionId: string, about: AboutSession): Promise<Session> {
    return this.#service.sessionFor({ sessionId, agentPath: 'primary' }, about);
  }
}

/** A value for each session, since when: processes that write at once take nothing from each other. */
const scopeOf = (beginning: string): string => `proxy.beginnings ${beginning}`;

function unlessAway(error: unknown): undefined {
  if (!isStoreFailure(error)) throw error;
}

const aboutOf = ({ format, body: { model } }: SessionRequest): AboutSession => ({
  format,
  ...(typeof model === 'string' && { model }),
});

/** By so many answers of the model beginnings are told apart: many a conversation begins with one greeting and one question. */
const DEPTHS = [1, 2, 4, 8];

/**
 * Hashes of how a history begins, instructions aside, the longest first: up to what was said before the next answer of the
 * model, up to its first one, and before that. Parses no more of it than it has to.
 */
function beginningsOf(asked: SessionRequest): readonly string[] {
  const { caller, format, headers, named, body, messages } = asked;
  const { messagesField, parse } = formatNamed(format);
  for (let count = 8; ; count *= 4) {
    const isAll = count >= messages.length;
    const parsed = parse({ ...body, [messagesField]: isAll ? messages : messages.slice(0, count) });
    // What the program says of the day is no matter where it says itself which conversation it is.
    const isNamed = OWN_HEADERS.some((name) => headers[name] !== undefined);
    const said = parsed.messages.slice(isNamed ? instructionsIn(parsed.messages) : 0).filter(isSaid);
    const answers = said.flatMap(({ role }, at) => (role === 'assistant' ? at : []));
    if (answers.length <= DEPTHS.at(-1)! && !isAll) continue;
    const scope = [caller.tenant, format, ownNameOf(headers, body), ...(named === undefined ? [] : [named])];
    const ends = DEPTHS.filter((depth) => depth <= answers.length).map(
      (depth) => answers[depth] ?? said.length,
    );
    // One call ago it had an answer less, and may be known by the beginning before the longest.
    const [first = said.length] = answers;
    const looked = [...ends.slice(-2).reverse(), ...(ends.length > 0 ? [first + 1] : []), first];
    const words = said.slice(0, looked[0]).map(wordsOf);
    return [...new Set(looked)].map((end) => hashOf([...scope, ...words.slice(0, end)]));
  }
}

const isSaid = ({ role }: Message): boolean => role !== 'system';

/** What tells one conversation of a client from its others where it says so itself, in a header or its body. */
function ownNameOf(headers: IncomingHttpHeaders, { metadata, prompt_cache_key: key }: Fields): unknown[] {
  const user = isFields(metadata) ? metadata.user_id : undefined;
  return [...OWN_HEADERS.map((name) => headers[name]), key, user].map((name) => name ?? null);
}

/** The first of what a message says or asks for: more of it may stand in the next of the list. */
function wordsOf({ role, parts }: Message): unknown {
  const said = parts
    .filter(({ type }) => type !== 'reasoning')
    .slice(0, role === 'assistant' ? 1 : undefined);
  return [role, said.map((part) => (part.type === 'tool-call' ? [part.name, part.callId] : textOf(part)))];
}

const hashOf = (value: unknown): string => hash('sha1', jsonText(value), 'base64url');

/**
 * The body of a `count_tokens` request as it would be sent: what the session was compacted to, and behind it what is new.
 * Changes nothing. Undefined where the history is of no session that is known, which is then counted as it is.
 */
export async function countTokens(places: Places, asked: SessionRequest): Promise<string | undefined> {
  const known = await places.known(asked);
  if (!known) return undefined;
  const { view } = known.session;
  if (view.every(({ source, replaced }) => source && !replaced)) return undefined;
  const fresh = known.fresh.map((message) => ({ message, size: UNMEASURED, from: 0, to: 0 }));
  const { messages, beside = {} } = formatNamed('anthropic').serialise([...view, ...fresh]);
  const { body } = asked;
  return jsonText({ ...body, ...(isFields(beside) && body.system === undefined && beside), messages });
}

/** Nothing is weighed here. */
const UNMEASURED = { ...NO_SIZE, parts: [] };
