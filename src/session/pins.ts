import type { LogMessage, ReadonlyLog } from '../transcript/index.js';

export interface PinRules {
  /** System messages are pins. */
  readonly system: boolean;
  /** The first user message is a pin. */
  readonly firstUser: boolean;
  /** Operator predicates, on top. */
  readonly also?: readonly ((message: LogMessage) => boolean)[];
}

/** The always-keep set. It must not change its mind about a message: rendering again has to give the same bytes. */
export function pinPredicate(rules: PinRules, log: ReadonlyLog): (message: LogMessage) => boolean {
  const known = new Map<number, boolean>();
  const decide = (message: LogMessage): boolean =>
    message.pinned === true ||
    (rules.system && message.role === 'system') ||
    (rules.firstUser && message === log.firstUser) ||
    (rules.also?.some((predicate) => predicate(message)) ?? false);
  return (message) => {
    const before = known.get(message.seq);
    if (before !== undefined) return before;
    const pinned = decide(message);
    // Only pins are remembered: a log of a million messages has few of them.
    if (pinned) known.set(message.seq, true);
    return pinned;
  };
}
