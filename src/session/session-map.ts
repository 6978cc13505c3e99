import type { Session } from './session.js';

/** Options of a session map. */
export interface SessionMapOptions {
  /** Most sessions that are held at a time; the least recently used one is let go first. Default 1,000. */
  readonly most?: number;
}

/**
 * Sessions by key, for one client that serves many threads: a user, a ticket, a `thread_id`. With a store, a session
 * that was let go is opened again when it is needed. Without a store, the client's next request, which holds the whole
 * history, starts the session again.
 *
 *     const threads = spillway.sessionMap({ format: 'openai-chat' });
 *     const client = compactOpenAI(new OpenAI(), { chat: threads.by(({ user }) => user as string | undefined) });
 */
export class SessionMap<Message = unknown> {
  readonly #open: (key: string) => Session<Message> | Promise<Session<Message>>;
  readonly #most: number;
  /** In order of use, least recently used first. */
  readonly #sessions = new Map<string, Promise<Session<Message>>>();

  /** @hidden `spillway.sessionMap` makes one. */
  constructor(open: (key: string) => Session<Message> | Promise<Session<Message>>, most = 1_000) {
    this.#open = open;
    this.#most = most;
  }

  /** Number of sessions that are held. */
  get size(): number {
    return this.#sessions.size;
  }

  /** The session of a key, opened if necessary. If opening fails, the next request for the key tries again. */
  of(key: string): Promise<Session<Message>> {
    const known = this.#sessions.get(key);
    const session = known ?? Promise.resolve().then(() => this.#open(key));
    this.#sessions.delete(key);
    this.#sessions.set(key, session);
    if (!known) {
      session.catch(() => {
        if (this.#sessions.get(key) === session) this.#sessions.delete(key);
      });
      const [oldest] = this.#sessions.keys();
      if (this.#sessions.size > this.#most && oldest !== undefined) this.#sessions.delete(oldest);
    }
    return session;
  }

  /** For a drop-in: finds the session of a request by a key in it. A request without a key is sent unchanged. */
  by<Request>(
    keyOf: (request: Request) => string | null | undefined,
  ): (request: Request) => Promise<Session<Message>> | undefined {
    return (request) => {
      const key = keyOf(request);
      return key === null || key === undefined || key === '' ? undefined : this.of(key);
    };
  }

  /** Lets go of a session; its stored data remains. */
  delete(key: string): boolean {
    return this.#sessions.delete(key);
  }
}
