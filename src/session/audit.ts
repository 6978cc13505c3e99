import type { Json, StoredEvent } from '../spi/index.js';

/** What was seen, whatever the ledger came to. All else is said of a decision, and falls with it. */
const SEEN = [
  'overflow',
  'trimmed-upstream',
  'over-window',
  'trimming-off',
  'prepared-alone',
  'text-bought',
  'limit-learned',
  'limits-forgotten',
  'plugin-failed',
  'given-back',
  'give-back-left-out',
  'recalled',
];
const COMPACTION = 'compaction.';

/** Whether an event of this kind still holds where another process was first, and what was decided is decided anew. */
export function standsAnyway(kind: string): boolean {
  return !kind.startsWith(COMPACTION) || SEEN.includes(kind.slice(COMPACTION.length));
}

/**
 * What happened to the compaction of a session, for operators: in order, and never taken back.
 * @hidden
 */
export class AuditTrail {
  readonly #kept: StoredEvent[] = [];
  /** Hands what happens on to where it is stored. */
  onEvent: ((event: StoredEvent) => void) | undefined;

  constructor(private readonly clock: () => number) {}

  /** What happened since the session was opened. */
  get events(): readonly StoredEvent[] {
    return this.#kept;
  }

  say(what: string, ref: string | undefined, body: Readonly<Record<string, Json | undefined>>): void {
    const event: StoredEvent = {
      kind: COMPACTION + what,
      ...(ref !== undefined && { ref }),
      at: this.clock(),
      body,
    };
    this.#kept.push(event);
    this.onEvent?.(event);
  }
}
