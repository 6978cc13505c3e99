import type { Observable } from 'rxjs';
import type { PluginListener } from './plugins/index.js';
import { EventHub, PressureStream, type PressureEvent } from '../pressure/index.js';

/** The session and agent path of an event. */
export interface EventPlace {
  readonly sessionId: string;
  readonly agentPath: string;
  /** Model that the session used at that time; null if none was named. */
  readonly model: string | null;
}

/** An event in one session of an engine. */
export type EngineEvent = PressureEvent &
  EventPlace & {
    /** Milliseconds since the epoch. */
    readonly at: number;
  };

/** The events of all sessions of one engine, in order. */
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

  /** Emits a message of a plugin outside any session; its session id and agent path are empty. */
  readonly onPluginMessage: PluginListener = (plugin, level, message) => {
    const nowhere = { sessionId: '', agentPath: '', model: null };
    this.#hub.emit({ kind: 'plugin-said', plugin, level, message, ...nowhere, at: this.clock() });
  };

  /** Creates the stream of one session. Its events are emitted here as well. */
  streamOf(place: () => EventPlace): PressureStream {
    return new PressureStream((event) => {
      if (this.#hub.hasListeners) this.#hub.emit({ ...event, ...place(), at: this.clock() });
    });
  }
}
