import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { ask } from './client';
import type {
  AuditEvent,
  CallRecord,
  CompactionRecord,
  CompactionSummary,
  Costs,
  Effect,
  Finding,
  GivenBack,
  Knobs,
  LogEntry,
  Me,
  Message,
  Models,
  NetCost,
  Page,
  Place,
  Plan,
  Reading,
  Recalled,
  SessionSummary,
  ShownMessage,
  Skipped,
  Stage,
  StatedLimits,
  WaitingPlan,
  WordsGivenBack,
} from './types';
import { segment } from '../route';

/** The most items of a list that the page shows at once: the API's limit for one page. */
export const PAGE_LIMIT = 500;

export const pathOf = ({ id }: Pick<Place, 'id'>): string => `/sessions/${segment(id)}`;
export const agentOf = ({ agentPath }: Place): { readonly agent_path: string } => ({ agent_path: agentPath });

/** The page's queries. A key begins with its owner, so a session event invalidates only that session's answers. */
export const me = queryOptions({ queryKey: ['me'], queryFn: () => ask<Me>('/me'), staleTime: Infinity });

export const sessions = queryOptions({
  queryKey: ['project', 'sessions'],
  queryFn: ({ signal }) => ask<Page<SessionSummary>>('/sessions', { query: { limit: 200 }, signal }),
});

export const inbox = queryOptions({
  queryKey: ['project', 'inbox'],
  queryFn: ({ signal }) => ask<{ readonly items: readonly WaitingPlan[] } & Skipped>('/inbox', { signal }),
});

export const projectCosts = queryOptions({
  queryKey: ['project', 'costs'],
  queryFn: ({ signal }) => ask<Costs>('/costs', { signal }),
});

export const projectEffect = queryOptions({
  queryKey: ['project', 'effect'],
  queryFn: ({ signal }) => ask<Effect>('/effect', { signal }),
});

export const stages = queryOptions({
  queryKey: ['settings', 'stages'],
  queryFn: ({ signal }) => ask<{ readonly items: readonly Stage[] }>('/stages', { signal }),
});

export const knobs = queryOptions({
  queryKey: ['settings', 'knobs'],
  queryFn: ({ signal }) => ask<Knobs>('/knobs', { signal }),
});

export const models = queryOptions({
  queryKey: ['settings', 'models'],
  queryFn: ({ signal }) => ask<Models>('/models', { signal }),
});

export const limitsOf = (name: string) =>
  queryOptions({
    queryKey: ['settings', 'models', name],
    queryFn: ({ signal }) => ask<StatedLimits>(`/models/${segment(name)}`, { signal }),
  });

export const profiles = queryOptions({
  queryKey: ['settings', 'profiles'],
  queryFn: ({ signal }) =>
    ask<{ readonly items: readonly { readonly name: string; readonly description: string }[] }>('/profiles', {
      signal,
    }),
});

const keyOf = (place: Place, ...rest: readonly unknown[]): readonly unknown[] => [
  'session',
  place.id,
  place.agentPath,
  ...rest,
];

function ofSession<Said>(place: Place, path: string, query: Readonly<Record<string, string | number>> = {}) {
  return queryOptions({
    queryKey: keyOf(place, path, query),
    queryFn: ({ signal }) =>
      ask<Said>(`${pathOf(place)}${path}`, { query: { ...agentOf(place), ...query }, signal }),
  });
}

export const session = (place: Place) => ofSession<SessionSummary>(place, '');
export const calls = (place: Place) => ofSession<Page<CallRecord>>(place, '/calls', { limit: PAGE_LIMIT });
export const history = (place: Place) =>
  ofSession<Page<CompactionSummary>>(place, '/compactions', { limit: PAGE_LIMIT });
export const compaction = (place: Place, id: string) =>
  ofSession<{ readonly record: CompactionRecord }>(place, `/compactions/${segment(id)}`);
export const costs = (place: Place) =>
  ofSession<{ readonly costs: Costs; readonly net: readonly NetCost[] }>(place, '/costs');
export const effect = (place: Place) => ofSession<Effect>(place, '/effect');
export const audit = (place: Place) => ofSession<Page<AuditEvent>>(place, '/audit', { limit: 200 });
/** The context as it is now, or as a call sent it. */
export const context = (place: Place, call?: number) =>
  ofSession<{ readonly reading?: Reading; readonly messages: readonly ShownMessage[] }>(
    place,
    '/context',
    call === undefined ? {} : { call },
  );
export const preview = (place: Place, hash: string) =>
  ofSession<{
    readonly plan: Plan;
    readonly preview: { readonly reading: Reading; readonly messages: readonly ShownMessage[] };
  }>(place, `/plans/${segment(hash)}`);

/** A message of the log never changes. */
export const original = (place: Place, id: string) => ({
  ...ofSession<Message>(place, `/messages/${segment(id)}`),
  staleTime: Infinity,
});

export const find = (place: Place, words: string) => ofSession<Finding>(place, '/find', { words });

export const givenBack = (place: Place) =>
  ofSession<{ readonly items: readonly GivenBack[] }>(place, '/give-back');

/** The cost of giving a handle back. Fetched each time, because the cost depends on the current request. */
export const giveBackCost = (place: Place, handle: string, maxTokens?: number) =>
  queryOptions({
    queryKey: keyOf(place, 'give-back', handle, maxTokens),
    queryFn: ({ signal }) =>
      ask<WordsGivenBack>(`${pathOf(place)}/give-back`, {
        method: 'POST',
        query: agentOf(place),
        body: { handle, dry_run: true, ...(maxTokens !== undefined && { max_tokens: maxTokens }) },
        signal,
      }),
    staleTime: 0,
  });

export const recall = (place: Place, query: string) =>
  queryOptions({
    queryKey: keyOf(place, 'recall', query),
    queryFn: ({ signal }) =>
      ask<{ readonly items: readonly Recalled[] }>(`${pathOf(place)}/recall`, {
        method: 'POST',
        query: agentOf(place),
        body: { query, limit: 12, max_tokens: 4_000 },
        signal,
      }),
  });

export const log = (place: Place, call?: number) =>
  infiniteQueryOptions({
    queryKey: keyOf(place, 'log', call),
    queryFn: ({ signal, pageParam }) =>
      ask<Page<LogEntry>>(`${pathOf(place)}/log`, {
        query: { ...agentOf(place), limit: PAGE_LIMIT, cursor: pageParam, call },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
  });
