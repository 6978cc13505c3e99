import { randomUUID } from 'node:crypto';
import type { Session } from '../../session/index.js';
import type { Json, ThreadKey } from '../../spi/index.js';
import { formatNamed } from '../../wire/index.js';
import { ownId, type Caller } from '../access.js';
import type { AboutSession, Service } from '../service.js';
import { printOf } from './beginning.js';
import { SessionFinder, type SessionMatch } from './finder.js';
import { fingerprintOf, type Fingerprint } from './fingerprint.js';
import { forkThread } from './fork.js';
import { asSent, printOfLog } from './redacted-print.js';

/** Sessions that begin alike of which the store is asked; older ones are not found again by a process that never saw them. */
const MOST_ALIKE = 32;

interface SessionRequest {
  readonly caller: Caller;
  readonly format: string;
  readonly model: string | undefined;
  /** What the client calls its session. */
  readonly named: string | undefined;
  readonly messages: readonly unknown[];
  /** The request they stand in. */
  readonly raw?: Buffer | undefined;
}

/** Finds the session of each request of each tenant, and makes those that are not there. */
export class Places {
  readonly #service: Service;
  /** By tenant and format. */
  readonly #finders = new Map<string, SessionFinder>();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(service: Service) {
    this.#service = service;
  }

  /** One after the other: two requests of one new conversation are not to make two sessions. */
  sessionOf(asked: SessionRequest): Promise<Session> {
    const found = this.#turn.then(() => this.#sessionOf(asked));
    this.#turn = found.catch(() => undefined);
    return found;
  }

  /** The session whose whole history these messages begin with, and how many of them that are. Nothing is learned. */
  known(
    caller: Caller,
    format: string,
    messages: readonly unknown[],
  ): { readonly session: Promise<Session>; readonly common: number } | undefined {
    const finder = this.#finderOf(JSON.stringify([caller.tenant, format]));
    const found = finder.find(fingerprintOf(messages));
    if (found.how !== 'same' || !found.isWhole) return undefined;
    return { session: this.#service.session(keyOf(found.sessionId)), common: found.common };
  }

  async #sessionOf({ caller, format, model, named, messages, raw }: SessionRequest): Promise<Session> {
    if (named !== undefined) return this.#open(ownId(caller, named), { format, model });
    const scope = JSON.stringify([caller.tenant, format]);
    const finder = this.#finderOf(scope);
    const print = printOf(messages, raw, (head) => finder.alike(head));
    const found = await this.#found(finder, scope, print, messages);
    const nearest = finder.newest;
    if (found.how === 'same' || found.how === 'trailing') {
      finder.learn(found.sessionId, print);
      await this.#noteHead(scope, print, found.how === 'trailing' ? found.sessionId : undefined);
      return this.#open(found.sessionId, { format, model });
    }
    const sessionId = ownId(caller, `s-${randomUUID().slice(0, 13)}`);
    finder.learn(sessionId, print);
    await this.#noteHead(scope, print, sessionId);
    if (found.how === 'fork') {
      await forkThread(this.#service.store, keyOf(found.sessionId), keyOf(sessionId));
      return this.#open(sessionId, { format, model, linked: { to: found.sessionId, how: 'fork' } });
    }
    const linked = nearest === undefined ? {} : { linked: { to: nearest, how: 'nearest' as const } };
    return this.#open(sessionId, { format, model, ...linked });
  }

  /** By what this process heard; where that leaves a doubt, by what others on the store did. */
  async #found(
    finder: SessionFinder,
    scope: string,
    print: Fingerprint,
    messages: readonly unknown[],
  ): Promise<SessionMatch> {
    const found = finder.find(print);
    if (found.how === 'same' && found.isWhole) return found;
    const [head] = print.hashes;
    if (head === undefined) return found;
    const alike = ((await this.#service.store.value(headsOf(scope), head)) ?? []) as readonly string[];
    const unheard = alike.filter((sessionId) => !finder.knows(sessionId));
    for (const sessionId of unheard)
      finder.learn(sessionId, await this.#readPrint(sessionId, print, messages));
    return unheard.length > 0 ? finder.find(print) : found;
  }

  /** What the client of a session sent, told from its log, which may hold it without its secrets. */
  async #readPrint(
    sessionId: string,
    print: Fingerprint,
    messages: readonly unknown[],
  ): Promise<Fingerprint> {
    const session = await (await this.#service.session(keyOf(sessionId))).load();
    const known = Array.from({ length: session.log.length }, (_, seq) => session.log.at(seq)).filter(
      ({ unknownToClient }) => unknownToClient !== true,
    );
    const format = formatNamed(session.format);
    const logged = printOfLog(format, known);
    if (!known.some(({ redacted }) => redacted === true)) return logged;
    return asSent({ format, patterns: this.#service.settings.redact, logged, messages, print });
  }

  /** Says to other processes which sessions begin like this. Only new ones are written. */
  async #noteHead(
    scope: string,
    { hashes: [head] }: Fingerprint,
    sessionId: string | undefined,
  ): Promise<void> {
    if (head === undefined || sessionId === undefined) return;
    const { store } = this.#service;
    const alike = ((await store.value(headsOf(scope), head)) ?? []) as readonly string[];
    if (alike.includes(sessionId)) return;
    await store.setValue(headsOf(scope), head, [...alike, sessionId].slice(-MOST_ALIKE) as Json);
  }

  #open(sessionId: string, about: AboutSession): Promise<Session> {
    return this.#service.sessionFor(keyOf(sessionId), about);
  }

  #finderOf(scope: string): SessionFinder {
    const finder = this.#finders.get(scope) ?? new SessionFinder(this.#service.settings.server.sessions);
    this.#finders.set(scope, finder);
    return finder;
  }
}

const keyOf = (sessionId: string): ThreadKey => ({ sessionId, agentPath: 'primary' });
const headsOf = (scope: string): string => `proxy.heads ${scope}`;
