import type { Json, StoredEvent } from '../spi/index.js';

/** Events that record an observation. All other events record a decision, and become void together with it. */
const OBSERVATIONS = [
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

/** Whether an event of this kind remains true if another process wrote first and this one has to decide again. */
export function survivesConflict(kind: string): boolean {
  return !kind.startsWith(COMPACTION) || OBSERVATIONS.includes(kind.slice(COMPACTION.length));
}

/**
 * The compaction events of a session, for operators: in order, and never removed.
 * @hidden
 */
export class AuditTrail {
  readonly #events: StoredEvent[] = [];
  /** Passes each event on to the store. */
  onEvent: ((event: StoredEvent) => void) | undefined;

  constructor(private readonly clock: () => number) {}

  /** The events since the session was opened. */
  get events(): readonly StoredEvent[] {
    return this.#events;
  }

  add(name: string, ref: string | undefined, body: Readonly<Record<string, Json | undefined>>): void {
    const event: StoredEvent = {
      kind: COMPACTION + name,
      ...(ref !== undefined && { ref }),
      at: this.clock(),
      body,
    };
    this.#events.push(event);
    this.onEvent?.(event);
  }
}
