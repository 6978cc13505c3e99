import { useSyncExternalStore } from 'react';
import type { Place } from './api/types';

/** The view that the page shows. The address holds it after its `#`, so every view has a link. */
export type Route =
  | { readonly view: 'sessions' }
  | { readonly view: 'inbox' }
  | { readonly view: 'knobs' }
  | { readonly view: 'session'; readonly place: Place; readonly tab: string; readonly detail?: string };

export const PRIMARY = 'primary';

/** The views of a session, in their order. */
export const TABS = [
  ['context', 'Context and log'],
  ['compactions', 'Compactions'],
  ['compact', 'Compact'],
  ['ask', 'Why forgotten?'],
  ['events', 'Events'],
] as const;

/** Text as part of an address. Lone surrogates are replaced, because `encodeURIComponent` would throw. */
export const segment = (text: string): string =>
  encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'));

export function linkTo(route: Route): string {
  if (route.view !== 'session') return route.view === 'sessions' ? '#/' : `#/${route.view}`;
  const { id, agentPath } = route.place;
  const path = ['sessions', id, agentPath, route.tab, ...(route.detail === undefined ? [] : [route.detail])];
  return `#/${path.map(segment).join('/')}`;
}

export const sessionLink = (place: Place, tab = 'context', detail?: string): string =>
  linkTo({ view: 'session', place, tab, ...(detail !== undefined && { detail }) });

function routeOf(hash: string): Route {
  const [view, id, agentPath = PRIMARY, tab = 'context', detail] = hash
    .replace(/^#\/?/, '')
    .split('/')
    .map(decoded);
  if (view === 'inbox' || view === 'knobs') return { view };
  if (view !== 'sessions' || id === undefined || id === '') return { view: 'sessions' };
  return { view: 'session', place: { id, agentPath }, tab, ...(detail !== undefined && { detail }) };
}

/** An invalid address (edited by hand) names nothing, and does not break the page. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function useRoute(): Route {
  return routeOf(useSyncExternalStore(subscribe, () => location.hash));
}

function subscribe(onChange: () => void): () => void {
  addEventListener('hashchange', onChange);
  return () => removeEventListener('hashchange', onChange);
}

/** The number of the call that the context tab shows; undefined if it shows the present. */
export function callIn(detail: string | undefined): number | undefined {
  return detail !== undefined && /^\d{1,9}$/.test(detail) ? Number(detail) : undefined;
}
