import { hash, randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isStoreFailure, SpillwayError } from '../../../errors/index.js';
import type { Compared, Session } from '../../../session/index.js';
import { NO_SIZE, textOf, type Message } from '../../../transcript/index.js';
import { formatNamed, instructionsIn, isFields, jsonText, type Fields } from '../../../formats/index.js';
import { ownId, type Caller } from '../access.js';
import type { AboutSession } from '../../operations/index.js';
import type { Service } from '../service.js';

/** Most sessions with the same beginning that are remembered. Older sessions are not found again. */
const MAX_ALIKE = 32;

/** Headers with a client's own session id: of Claude Code, Codex and compatible clients. */
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
  /** The client's name for its session, from the header. */
  readonly named?: string | undefined;
  readonly body: Fields;
  /** The messages of the body. */
  readonly messages: readonly unknown[];
  /** Sessions that turned out to belong to other conversations. */
  readonly without?: ReadonlySet<string>;
}

/** A session that a history continues. `fresh` is absent if a program's notes in the session have moved. */
interface Found {
  readonly session: Session;
  readonly fresh: Compared['fresh'];
}

/** A session that a history forks from. `answers` is the number of answers in the common beginning. */
interface Left {
  readonly sessionId: string;
  readonly answers: number;
}

/**
 * Finds the session of each request of each tenant, or makes one. Sessions are looked up by the hash of their first
 * messages, separately for each session id that the client itself sends; the log then decides, message by message,
 * whether the history continues the session.
 */
export class Places {
  readonly #service: Service;
  /** Hash of a beginning -> sessions with that beginning, the newest first. */
  readonly #alike = new Map<string, readonly string[]>();
  /** Pending lookups by beginning, so that two requests of one new conversation do not make two sessions. */
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(service: Service) {
    this.#service = service;
  }

  async sessionOf(asked: SessionRequest): Promise<Session> {
    if (asked.named === undefined) return this.#byHistory(asked);
    try {
      return await this.#open(ownId(asked.caller, asked.named), aboutOf(asked));
    } catch (error) {
      // The name belongs to a session of another wire, or the store is away: only the client's history is left.
      if (error instanceof SpillwayError && error.code === 'SESSION_FORMAT') return this.#byHistory(asked);
      unlessAway(error);
      const beside = await this.#byHistory(asked);
      beside.storeFailed(error);
      return beside;
    }
  }

  /** Requests with the same beginning run one after the other; requests with other beginnings run in parallel. */
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

  /** The session that a request continues, with the request's new messages. Changes nothing. */
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
        // The history has more answers now, which distinguish it from others with the same beginning.
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
   * Chooses among these sessions. `found` is the one that contains most of the history and nothing else, or else one in
   * which only notes have moved. `left` is the one that shares most of the history's first answers, among those that it
   * forks from. A session with the same question but another answer shares nothing.
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
   * Stored sessions with this beginning, the newest first. Undefined if the store is away: a session that only the
   * store knows is then made again, from its client's history.
   */
  async #stored(beginning: string): Promise<readonly string[] | undefined> {
    const stored = await this.#service.store.values(scopeOf(beginning)).catch(unlessAway);
    const sessions =
      stored && (Object.entries(stored) as [string, number][]).toSorted(([, a], [, b]) => b - a);
    return sessions?.map(([sessionId]) => sessionId);
  }

  /** Records how a session begins, for other processes too. After an answer, drops the beginning before any answer. */
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

  /** Writes only changes, and nothing if the store is away. */
  async #put(to: string, sessionId: string): Promise<void> {
    const known = this.#alike.get(to);
    this.#alike.delete(to);
    this.#alike.set(to, [sessionId, ...(known ?? []).filter((id) => id !== sessionId)].slice(0, MAX_ALIKE));
    const [oldest] = this.#alike.keys();
    if (this.#alike.size > this.#service.settings.server.sessions) this.#alike.delete(oldest!);
    if (known?.includes(sessionId)) return;
    const stored = await this.#stored(to);
    if (!stored || stored.slice(0, MAX_ALIKE).includes(sessionId)) return;
    await this.#store(to, sessionId, Date.now());
    for (const old of stored.slice(MAX_ALIKE - 1)) await this.#store(to, old, undefined);
  }

  async #store(beginning: string, sessionId: string, since: number | undefined): Promise<void> {
    await this.#service.store.setValue(scopeOf(beginning), sessionId, since).catch(unlessAway);
  }

  #open(sessionId: string, about: AboutSession): Promise<Session> {
    return this.#service.sessionFor({ sessionId, agentPath: 'primary' }, about);
  }
}

/** Scope with one value per session (the time of its entry), so that processes do not overwrite each other's. */
const scopeOf = (beginning: string): string => `proxy.beginnings ${beginning}`;

function unlessAway(error: unknown): undefined {
  if (!isStoreFailure(error)) throw error;
}

const aboutOf = ({ format, body: { model } }: SessionRequest): AboutSession => ({
  format,
  ...(typeof model === 'string' && { model }),
});

/** Numbers of answers to compare beginnings by, because many conversations share a greeting and a question. */
const DEPTHS = [1, 2, 4, 8];

/**
 * Hashes of a history's beginnings without instructions, the longest first: before the answer that follows the first 8,
 * 4, 2 or 1 answers (the two greatest that apply), after the first answer, and before it. Parses no more than needed.
 */
function beginningsOf(asked: SessionRequest): readonly string[] {
  const { caller, format, headers, named, body, messages } = asked;
  const { messagesField, parse } = formatNamed(format);
  for (let count = 8; ; count *= 4) {
    const isAll = count >= messages.length;
    const parsed = parse({ ...body, [messagesField]: isAll ? messages : messages.slice(0, count) });
    // If the client sends its own session id, instructions are left out, because they may change during a conversation.
    const isNamed = OWN_HEADERS.some((name) => headers[name] !== undefined);
    const said = parsed.messages.slice(isNamed ? instructionsIn(parsed.messages) : 0).filter(isSaid);
    const answers = said.flatMap(({ role }, at) => (role === 'assistant' ? at : []));
    if (answers.length <= DEPTHS.at(-1)! && !isAll) continue;
    const scope = [caller.tenant, format, ownNameOf(headers, body), ...(named === undefined ? [] : [named])];
    const ends = DEPTHS.filter((depth) => depth <= answers.length).map(
      (depth) => answers[depth] ?? said.length,
    );
    // One call ago the history had an answer less, and may be known by the second longest beginning.
    const [first = said.length] = answers;
    const looked = [...ends.slice(-2).reverse(), ...(ends.length > 0 ? [first + 1] : []), first];
    const words = said.slice(0, looked[0]).map(wordsOf);
    return [...new Set(looked)].map((end) => hashOf([...scope, ...words.slice(0, end)]));
  }
}

const isSaid = ({ role }: Message): boolean => role !== 'system';

/** The ids by which a client itself distinguishes its conversations, from headers and body. */
function ownNameOf(headers: IncomingHttpHeaders, { metadata, prompt_cache_key: key }: Fields): unknown[] {
  const user = isFields(metadata) ? metadata.user_id : undefined;
  return [...OWN_HEADERS.map((name) => headers[name]), key, user].map((name) => name ?? null);
}

/** The text of a message; of an answer only the first part, because the next message may hold more of it. */
function wordsOf({ role, parts }: Message): unknown {
  const said = parts
    .filter(({ type }) => type !== 'reasoning')
    .slice(0, role === 'assistant' ? 1 : undefined);
  return [role, said.map((part) => (part.type === 'tool-call' ? [part.name, part.callId] : textOf(part)))];
}

const hashOf = (value: unknown): string => hash('sha1', jsonText(value), 'base64url');

/**
 * The body of a `count_tokens` request as it would be sent: the session's compacted view, then the new messages.
 * Changes nothing. Undefined if the history continues no known session; the request is then counted unchanged.
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

/** The sizes are not used here. */
const UNMEASURED = { ...NO_SIZE, parts: [] };
