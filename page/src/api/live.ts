import { useQueryClient } from '@tanstack/react-query';
import { createParser } from 'eventsource-parser';
import { useEffect, useState } from 'react';
import { credentials } from './client';

/** An event from the service's stream. */
export interface LiveEvent {
  readonly kind: string;
  readonly sessionId: string;
  readonly agentPath: string;
  readonly at: number;
  readonly [field: string]: unknown;
}

/** A working agent causes many events within a moment: the page fetches their answers together. */
const GATHER_MS = 250;
/** Figures of all sessions make the service read all of them, so the page does not fetch them at every call. */
const GATHER_PROJECT_MS = 1_500;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;

/** The service answers, but refuses the event stream. */
class Refused extends Error {}

/** Uses `fetch`, because the browser's own EventSource sends no token. */
async function follow(
  signal: AbortSignal,
  onOpen: () => void,
  onEvent: (event: LiveEvent) => void,
): Promise<void> {
  const answer = await fetch('/api/v1/events', { headers: credentials(), signal });
  if (!answer.ok || !answer.body) throw new Refused(`status ${answer.status}`);
  onOpen();
  const parser = createParser({ onEvent: ({ data }) => onEvent(JSON.parse(data) as LiveEvent) });
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    parser.feed(value);
  }
}

/** How the page follows the service: `goneSince` when the service stopped answering; `mute` if it sends no events. */
export type Live = 'opening' | 'live' | 'mute' | { readonly goneSince: number };

/** Fetches the answers about a session again after each event of that session. */
export function useLive(isAllowed: boolean): Live {
  const queries = useQueryClient();
  const [live, setLive] = useState<Live>('opening');
  useEffect(() => {
    if (!isAllowed) return undefined;
    const end = new AbortController();
    const touched = new Map<string, LiveEvent>();
    let gathering: ReturnType<typeof setTimeout> | undefined;
    let gatheringProject: ReturnType<typeof setTimeout> | undefined;
    let retry: ReturnType<typeof setTimeout> | undefined;
    let wait = FIRST_WAIT_MS;
    const refetchSessions = (): void => {
      gathering = undefined;
      for (const { sessionId, agentPath } of touched.values())
        void queries.invalidateQueries({ queryKey: ['session', sessionId, agentPath] });
      touched.clear();
    };
    const refetchProject = (): void => {
      gatheringProject = undefined;
      void queries.invalidateQueries({ queryKey: ['project'] });
    };
    const onEvent = (event: LiveEvent): void => {
      touched.set(JSON.stringify([event.sessionId, event.agentPath]), event);
      gathering ??= setTimeout(refetchSessions, GATHER_MS);
      gatheringProject ??= setTimeout(refetchProject, GATHER_PROJECT_MS);
    };
    const opened = (): void => {
      // Fetches what changed while the stream was closed.
      if (wait > FIRST_WAIT_MS) void queries.invalidateQueries();
      wait = FIRST_WAIT_MS;
      setLive('live');
    };
    const keepFollowing = async (): Promise<void> => {
      const refused = await follow(end.signal, opened, onEvent).catch((error: unknown) => error);
      if (end.signal.aborted) return;
      setLive((before) =>
        refused instanceof Refused ? 'mute' : typeof before === 'object' ? before : { goneSince: Date.now() },
      );
      retry = setTimeout(() => void keepFollowing(), wait);
      wait = Math.min(wait * 2, LONGEST_WAIT_MS);
    };
    void keepFollowing();
    return () => {
      end.abort();
      clearTimeout(gathering);
      clearTimeout(gatheringProject);
      clearTimeout(retry);
    };
  }, [isAllowed, queries]);
  return live;
}
