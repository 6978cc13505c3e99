import { useQueryClient } from '@tanstack/react-query';
import { createParser } from 'eventsource-parser';
import { useEffect, useState } from 'react';
import { credentials } from './client';

/** Something that happened, as the service tells it. */
export interface Happening {
  readonly kind: string;
  readonly sessionId: string;
  readonly agentPath: string;
  readonly at: number;
  readonly [field: string]: unknown;
}

/** An agent at work tells a dozen things in one go: they are asked for together. */
const GATHER_MS = 250;
/** What stands over all sessions costs reading them all: a busy service is not asked for it at every call of an agent. */
const GATHER_PROJECT_MS = 1_500;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;

/** The service answers, and tells nothing of what happens. */
class Refused extends Error {}

/** Not the browser's own EventSource, which sends no token. */
async function follow(
  signal: AbortSignal,
  onOpen: () => void,
  hear: (happened: Happening) => void,
): Promise<void> {
  const answer = await fetch('/api/v1/events', { headers: credentials(), signal });
  if (!answer.ok || !answer.body) throw new Refused(`status ${answer.status}`);
  onOpen();
  const parser = createParser({ onEvent: ({ data }) => hear(JSON.parse(data) as Happening) });
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    parser.feed(value);
  }
}

/** How what is shown follows what happens: `gone` since when the service does not answer; `mute` where it tells nothing. */
export type Live = 'opening' | 'live' | 'mute' | { readonly goneSince: number };

/** What happens in a session makes stale what was asked of it. */
export function useLive(isAllowed: boolean): Live {
  const queries = useQueryClient();
  const [live, setLive] = useState<Live>('opening');
  useEffect(() => {
    if (!isAllowed) return undefined;
    const end = new AbortController();
    const touched = new Map<string, Happening>();
    let gathering: ReturnType<typeof setTimeout> | undefined;
    let gatheringProject: ReturnType<typeof setTimeout> | undefined;
    let retry: ReturnType<typeof setTimeout> | undefined;
    let wait = FIRST_WAIT_MS;
    const tell = (): void => {
      gathering = undefined;
      for (const { sessionId, agentPath } of touched.values())
        void queries.invalidateQueries({ queryKey: ['session', sessionId, agentPath] });
      touched.clear();
    };
    const tellProject = (): void => {
      gatheringProject = undefined;
      void queries.invalidateQueries({ queryKey: ['project'] });
    };
    const hear = (happened: Happening): void => {
      touched.set(JSON.stringify([happened.sessionId, happened.agentPath]), happened);
      gathering ??= setTimeout(tell, GATHER_MS);
      gatheringProject ??= setTimeout(tellProject, GATHER_PROJECT_MS);
    };
    const opened = (): void => {
      // What happened while nobody listened.
      if (wait > FIRST_WAIT_MS) void queries.invalidateQueries();
      wait = FIRST_WAIT_MS;
      setLive('live');
    };
    const keepFollowing = async (): Promise<void> => {
      const refused = await follow(end.signal, opened, hear).catch((error: unknown) => error);
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
