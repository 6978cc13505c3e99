import type { Observable } from 'rxjs';
import type { HearPlugin } from './plugins/index.js';
import { EventHub, PressureStream, type PressureEvent } from '../pressure/index.js';

/** Where something happened. */
export interface EventPlace {
  readonly sessionId: string;
  readonly agentPath: string;
  /** Model that the session talked to then; null where none was named. */
  readonly model: string | null;
}

/** Something that happened in one session of an engine. */
export type EngineEvent = PressureEvent &
  EventPlace & {
    /** Milliseconds since the epoch. */
    readonly at: number;
  };

/** What all sessions of one engine tell, in the order it happened. */
export class EngineEvents {
  readonly #hub = new EventHub<EngineEvent>((error, { sessionId, agentPath, model, at }) => ({
    kind: 'listener-failed',
    error,
    sessionId,
    agentPath,
    model,
    at,
  }));

  constructor(private readonly clock: () => number) {}

  get all(): Observable<EngineEvent> {
    return this.#hub.events;
  }

  /** What a plugin says outside a session: its place is empty. */
  readonly said: HearPlugin = (plugin, level, message) => {
    const nowhere = { sessionId: '', agentPath: '', model: null };
    this.#hub.emit({ kind: 'plugin-said', plugin, level, message, ...nowhere, at: this.clock() });
  };

  /** A stream for one session, whose events are told here too. */
  streamOf(place: () => EventPlace): PressureStream {
    return new PressureStream((event) => {
      if (this.#hub.isHeard) this.#hub.emit({ ...event, ...place(), at: this.clock() });
    });
  }
}
