import { untrimmedBy } from '../../wire/index.js';
import { appendedAt } from '../../transcript/index.js';
import { checkOptions } from '../arguments.js';
import type { History } from '../operator/history.js';
import type { SessionCore } from '../session-parts.js';
import type { Followed } from './follow.js';
import { followedSession, type FollowDoors } from './followed.js';

/** How a body is followed. */
export interface FollowOptions {
  /** A user may ask for a compaction with a message of nothing but `/compact`; otherwise that is text like any other. */
  readonly commands?: boolean;
}

interface ClientSideParts extends SessionCore, FollowDoors {
  readonly history: History;
  readonly load: () => Promise<unknown>;
}

/** What a session does for a client that sends its whole history with each request. */
export class ClientSide {
  readonly #of: ClientSideParts;
  /** Fields that asked for trimming by the host, as far as they were told. */
  readonly #switchedOff = new Set<string>();

  constructor(of: ClientSideParts) {
    this.#of = of;
  }

  async follow(body: unknown, options: FollowOptions): Promise<Followed> {
    checkOptions('session.follow', options);
    const { commands = false } = options;
    const followed = await this.#of.parts.follower.follow(body, this.#followed, commands);
    if (followed.rewound) this.#of.parts.stream.emit({ kind: 'rewound', ...followed.rewound });
    return followed;
  }

  async appendHidden(body: unknown): Promise<void> {
    const { log, ledger, arrivals = [] } = this.#of.thread;
    const first = appendedAt(log.length, ledger.left) + arrivals.length;
    const messages = this.#of.parts.follower.parse(body).map((message, at) => ({
      ...message,
      id: `own${first + at}`,
      unknownToClient: true,
    }));
    await this.#of.append(messages);
  }

  isStranger(body: unknown): Promise<boolean> {
    return this.#of.parts.follower.isStranger(body, this.#followed, this.#of.load);
  }

  untrimmed<Body extends object>(body: Body): Body {
    const { body: own, switchedOff } = untrimmedBy(body, this.#of.parts.provider.truncation);
    const fresh = switchedOff.filter((field) => !this.#switchedOff.has(field));
    for (const field of fresh) this.#switchedOff.add(field);
    const reason = 'what a host cuts is in no ledger: these fields of the request were switched off';
    if (fresh.length > 0) this.#of.parts.audit.say('trimming-off', undefined, { fields: fresh, reason });
    return own;
  }

  readonly #followed = (): ReturnType<typeof followedSession> => followedSession(this.#of);
}
