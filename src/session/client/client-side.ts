import { untrimmedBy } from '../../wire/index.js';
import { appendedAt } from '../../transcript/index.js';
import { checkFollowOptions } from '../arguments.js';
import type { History } from '../operator/history.js';
import type { SessionParts } from '../session-parts.js';
import type { Thread } from '../thread.js';
import type { Followed } from './follow.js';
import { followedSession, type FollowDoors } from './followed.js';

/** How a body is followed. */
export interface FollowOptions {
  /** A user may ask for a compaction with a message of nothing but `/compact`; otherwise that is text like any other. */
  readonly commands?: boolean;
}

type ClientParts = Pick<SessionParts, 'audit' | 'follower' | 'gauge' | 'provider' | 'stream'>;

/** What a session does for a client that sends its whole history with each request. */
export class ClientSide {
  readonly #thread: Thread;
  readonly #history: History;
  readonly #parts: ClientParts;
  readonly #doors: FollowDoors & { readonly load: () => Promise<unknown> };
  /** Fields that asked for trimming by the host, as far as they were told. */
  readonly #switchedOff = new Set<string>();

  constructor(
    thread: Thread,
    history: History,
    parts: ClientParts,
    doors: FollowDoors & { load: () => Promise<unknown> },
  ) {
    this.#thread = thread;
    this.#history = history;
    this.#parts = parts;
    this.#doors = doors;
  }

  async follow(body: unknown, options: FollowOptions): Promise<Followed> {
    checkFollowOptions(options);
    const { commands = false } = options;
    const followed = await this.#parts.follower.follow(body, this.#followed, commands);
    if (followed.rewound) this.#parts.stream.emit({ kind: 'rewound', ...followed.rewound });
    return followed;
  }

  async appendHidden(body: unknown): Promise<void> {
    const { log, ledger, arrivals = [] } = this.#thread;
    const first = appendedAt(log.length, ledger.left) + arrivals.length;
    const messages = this.#parts.follower.parse(body).map((message, at) => ({
      ...message,
      id: `own${first + at}`,
      unknownToClient: true,
    }));
    await this.#doors.append(messages);
  }

  isStranger(body: unknown): Promise<boolean> {
    return this.#parts.follower.isStranger(body, this.#followed, this.#doors.load);
  }

  untrimmed<Body extends object>(body: Body): Body {
    const { body: own, switchedOff } = untrimmedBy(body, this.#parts.provider.truncation);
    const fresh = switchedOff.filter((field) => !this.#switchedOff.has(field));
    for (const field of fresh) this.#switchedOff.add(field);
    const reason = 'what a host cuts is in no ledger: these fields of the request were switched off';
    if (fresh.length > 0) this.#parts.audit.say('trimming-off', undefined, { fields: fresh, reason });
    return own;
  }

  readonly #followed = (): ReturnType<typeof followedSession> =>
    followedSession(this.#thread, this.#history, this.#parts.gauge, this.#doors);
}
