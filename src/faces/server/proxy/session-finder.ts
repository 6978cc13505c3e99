import { hash, randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isStoreFailure, SpillwayError } from '../../../errors/index.js';
import type { Compared, Session } from '../../../session/index.js';
import { NO_SIZE, textOf, type Message } from '../../../transcript/index.js';
import { formatNamed, instructionsIn, isFields, jsonText, type Fields } from '../../../formats/index.js';
import { ownId, type Caller } from '../access.js';
import type { SessionInfo } from '../../operations/index.js';
import type { Service } from '../service.js';

/** Most sessions with the same beginning that are remembered. Older sessions are not found again. */
const MAX_SAME = 32;

/** Headers with a client's own session id: of Claude Code, Codex and compatible clients. */
const ID_HEADERS = [
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
  readonly name?: string | undefined;
  readonly body: Fields;
  /** The messages of the body. */
  readonly messages: readonly unknown[];
  /** Sessions that turned out to belong to other conversations. */
  readonly excluded?: ReadonlySet<string>;
}

/** A session that a history continues. `fresh` is absent if a program's notes in the session have moved. */
interface Found {
  readonly session: Session;
  readonly fresh: Compared['fresh'];
}

/** A session that a history forks from. `answers` is the number of answers in the common beginning. */
interface Fork {
  readonly sessionId: string;
  readonly answers: number;
}

/**
 * Finds the session of each request of each tenant, or makes one. Sessions are looked up by the hash of their first
 * messages, separately for each session id that the client itself sends; the log then decides, message by message,
 * whether the history continues the session.
 */
export class SessionFinder {
  readonly #service: Service;
  /** Hash of a beginning -> sessions with that beginning, the newest first. */
  readonly #sessions = new Map<string, readonly string[]>();
  /** Pending lookups by beginning, so that two requests of one new conversation do not make two sessions. */
  readonly #lookups = new Map<string, Promise<unknown>>();

  constructor(service: Service) {
    this.#service = service;
  }

  async sessionOf(request: SessionRequest): Promise<Session> {
    if (request.name === undefined) return this.#byHistory(request);
    try {
      return await this.#open(ownId(request.caller, request.name), infoIn(request));
    } catch (error) {
      // The name belongs to a session of another wire, or the store is away: only the client's history is left.
      if (error instanceof SpillwayError && error.code === 'SESSION_FORMAT') return this.#byHistory(request);
      ignoreAway(error);
      const fallback = await this.#byHistory(request);
      fallback.storeFailed(error);
      return fallback;
    }
  }

  /** Requests with the same beginning run one after the other; requests with other beginnings run in parallel. */
  #byHistory(request: SessionRequest): Promise<Session> {
    const beginnings = beginningsOf(request);
    const key = beginnings.at(-1)!;
    const before = this.#lookups.get(key);
    const found = (before ?? Promise.resolve()).then(() => this.#sessionOf(request, beginnings));
    const over = Promise.allSettled([found]);
    this.#lookups.set(key, over);
    void over.then(() => this.#lookups.get(key) === over && this.#lookups.delete(key));
    return found;
  }

  /** The session that a request continues, with the request's new messages. Changes nothing. */
  async findKnown(
    request: SessionRequest,
  ): Promise<{ readonly session: Session; readonly fresh: readonly Message[] } | undefined> {
    const alike = new Set(beginningsOf(request).flatMap((beginning) => this.#sessions.get(beginning) ?? []));
    const { found } = await this.#bestOf(alike, request);
    return found?.fresh && { session: found.session, fresh: found.fresh };
  }

  async #sessionOf(request: SessionRequest, beginnings: readonly string[]): Promise<Session> {
    const tried: string[] = [];
    let fork: Fork | undefined;
    for (const beginning of beginnings)
      for (const alike of [async () => this.#sessions.get(beginning), () => this.#stored(beginning)]) {
        const ids = ((await alike()) ?? []).filter((id) => !tried.includes(id));
        tried.push(...ids);
        const { found, fork: other } = await this.#bestOf(ids, request);
        if (other && other.answers > (fork?.answers ?? 0)) fork = other;
        if (!found) continue;
        // The history has more answers now, which distinguish it from others with the same beginning.
        await this.#recordBeginnings(found.session.id, beginnings, beginning);
        return found.session;
      }
    const sessionId = ownId(request.caller, `s-${randomUUID().slice(0, 13)}`);
    const info: SessionInfo = { ...infoIn(request), ...(fork && { forkOf: fork.sessionId }) };
    const session = await this.#service.sessionFor({ sessionId, agentPath: 'primary' }, info, true);
    await this.#recordBeginnings(sessionId, beginnings);
    return session;
  }

  /**
   * Chooses among these sessions. `found` is the one that contains most of the history and nothing else, or else one in
   * which only notes have moved. `fork` is the one that shares most of the history's first answers, among those that it
   * forks from. A session with the same question but another answer shares nothing.
   */
  async #bestOf(
    sessionIds: Iterable<string>,
    request: SessionRequest,
  ): Promise<{ readonly found?: Found; readonly fork?: Fork }> {
    const { commands } = this.#service.settings.server;
    let found: Found | undefined;
    let fork: Fork | undefined;
    for (const sessionId of sessionIds) {
      if (request.excluded?.has(sessionId)) continue;
      const session = await this.#open(sessionId, infoIn(request)).catch(ignoreAway);
      const compared = await session?.compare(request.body, { commands }).catch(ignoreAway);
      if (!session || !compared) continue;
      const { isFork, fresh, answers } = compared;
      if (isFork && answers > (fork?.answers ?? 0)) fork = { sessionId, answers };
      if (isFork || (found && (!fresh || (found.fresh && found.fresh.length <= fresh.length)))) continue;
      found = { session, fresh };
    }
    return { ...(found && { found }), ...(fork && { fork }) };
  }

  /**
   * Stored sessions with this beginning, the newest first. Undefined if the store is away: a session that only the
   * store knows is then made again, from its client's history.
   */
  async #stored(beginning: string): Promise<readonly string[] | undefined> {
    const stored = await this.#service.store.values(scopeOf(beginning)).catch(ignoreAway);
    const sessions =
      stored && (Object.entries(stored) as [string, number][]).toSorted(([, a], [, b]) => b - a);
    return sessions?.map(([sessionId]) => sessionId);
  }

  /** Records how a session begins, for other processes too. After an answer, drops the beginning before any answer. */
  async #recordBeginnings(sessionId: string, beginnings: readonly string[], found?: string): Promise<void> {
    const before = beginnings.at(-1)!;
    for (const to of beginnings.length === 1 ? beginnings : beginnings.slice(0, -1))
      await this.#remember(to, sessionId);
    if (found !== before || beginnings.length === 1) return;
    this.#sessions.set(
      before,
      (this.#sessions.get(before) ?? []).filter((id) => id !== sessionId),
    );
    await this.#store(before, sessionId, undefined);
  }

  /** Writes only changes, and nothing if the store is away. */
  async #remember(to: string, sessionId: string): Promise<void> {
    const known = this.#sessions.get(to);
    this.#sessions.delete(to);
    this.#sessions.set(to, [sessionId, ...(known ?? []).filter((id) => id !== sessionId)].slice(0, MAX_SAME));
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size > this.#service.settings.server.sessions) this.#sessions.delete(oldest!);
    if (known?.includes(sessionId)) return;
    const stored = await this.#stored(to);
    if (!stored || stored.slice(0, MAX_SAME).includes(sessionId)) return;
    await this.#store(to, sessionId, Date.now());
    for (const old of stored.slice(MAX_SAME - 1)) await this.#store(to, old, undefined);
  }

  async #store(beginning: string, sessionId: string, since: number | undefined): Promise<void> {
    await this.#service.store.setValue(scopeOf(beginning), sessionId, since).catch(ignoreAway);
  }

  #open(sessionId: string, info: SessionInfo): Promise<Session> {
    return this.#service.sessionFor({ sessionId, agentPath: 'primary' }, info);
  }
}

/** Scope with one value per session (the time of its entry), so that processes do not overwrite each other's. */
const scopeOf = (beginning: string): string => `proxy.beginnings ${beginning}`;

function ignoreAway(error: unknown): undefined {
  if (!isStoreFailure(error)) throw error;
}

const infoIn = ({ format, body: { model } }: SessionRequest): SessionInfo => ({
  format,
  ...(typeof model === 'string' && { model }),
});

/** Numbers of answers to compare beginnings by, because many conversations share a greeting and a question. */
const DEPTHS = [1, 2, 4, 8];

/**
 * Hashes of a history's beginnings without instructions, the longest first: before the answer that follows the first 8,
 * 4, 2 or 1 answers (the two greatest that apply), after the first answer, and before it. Parses no more than needed.
 */
function beginningsOf(request: SessionRequest): readonly string[] {
  const { caller, format, headers, name, body, messages } = request;
  const { messagesField, parse } = formatNamed(format);
  for (let count = 8; ; count *= 4) {
    const isAll = count >= messages.length;
    const parsed = parse({ ...body, [messagesField]: isAll ? messages : messages.slice(0, count) });
    // If the client sends its own session id, instructions are left out, because they may change during a conversation.
    const isNamed = ID_HEADERS.some((name) => headers[name] !== undefined);
    const said = parsed.messages.slice(isNamed ? instructionsIn(parsed.messages) : 0).filter(isSpoken);
    const answers = said.flatMap(({ role }, at) => (role === 'assistant' ? at : []));
    if (answers.length <= DEPTHS.at(-1)! && !isAll) continue;
    const scope = [caller.tenant, format, clientIdsOf(headers, body), ...(name === undefined ? [] : [name])];
    const ends = DEPTHS.filter((depth) => depth <= answers.length).map(
      (depth) => answers[depth] ?? said.length,
    );
    // One call ago the history had an answer less, and may be known by the second longest beginning.
    const [first = said.length] = answers;
    const depths = [...ends.slice(-2).reverse(), ...(ends.length > 0 ? [first + 1] : []), first];
    const words = said.slice(0, depths[0]).map(fingerprintOf);
    return [...new Set(depths)].map((end) => hashOf([...scope, ...words.slice(0, end)]));
  }
}

const isSpoken = ({ role }: Message): boolean => role !== 'system';

/** The ids by which a client itself distinguishes its conversations, from headers and body. */
function clientIdsOf(headers: IncomingHttpHeaders, { metadata, prompt_cache_key: key }: Fields): unknown[] {
  const user = isFields(metadata) ? metadata.user_id : undefined;
  return [...ID_HEADERS.map((name) => headers[name]), key, user].map((name) => name ?? null);
}

/** The text of a message; of an answer only the first part, because the next message may hold more of it. */
function fingerprintOf({ role, parts }: Message): unknown {
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
export async function countTokens(finder: SessionFinder, asked: SessionRequest): Promise<string | undefined> {
  const known = await finder.findKnown(asked);
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
