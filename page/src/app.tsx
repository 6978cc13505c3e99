import { useQuery } from '@tanstack/react-query';
import { useEffect, type MouseEvent, type ReactNode } from 'react';
import { WhoProvider } from './api/access';
import { ApiError } from './api/client';
import { useLive } from './api/live';
import { inbox, me } from './api/queries';
import { GoneBanner, TopBar } from './bar';
import { InboxPage } from './inbox/inbox-page';
import { KnobsPage } from './knobs/knobs-page';
import { Boundary, Failed, Loading } from './parts/states';
import { ProjectPage } from './project/project-page';
import { useRoute, type Route } from './route';
import { SessionPage } from './session/session-page';
import { TokenEntry } from './token-entry';

export function App() {
  const who = useQuery(me);
  const route = useRoute();
  const mayLook = who.data !== undefined && who.data.role !== 'client';
  const live = useLive(mayLook);
  const waiting = useQuery({ ...inbox, enabled: mayLook });
  useTitle(route);
  const isUnknown = who.error instanceof ApiError && who.error.status === 401;
  const body = (): ReactNode => {
    if (isUnknown) return <TokenEntry />;
    if (who.isError) return <Failed error={who.error} onRetry={() => void who.refetch()} />;
    if (!who.data) return <Loading />;
    if (!mayLook) return <TokenEntry />;
    return (
      <Boundary resetKey={JSON.stringify(route)}>
        <View route={route} />
      </Boundary>
    );
  };
  return (
    <WhoProvider value={who.data}>
      <a className="skip" href="#content" onClick={toContent}>
        To the content
      </a>
      {route.view === 'session' && (
        <a className="skip" href="#views" onClick={toViews}>
          To the views of this session
        </a>
      )}
      <TopBar route={route} live={live} waiting={waiting.data?.items.length ?? 0} />
      <GoneBanner live={live} />
      <main id="content" tabIndex={-1} data-stale={typeof live === 'object'}>
        {body()}
      </main>
    </WhoProvider>
  );
}

/** Moves the focus by script, because the part of the address after `#` names the view. */
const focusing =
  (where: string) =>
  (event: MouseEvent): void => {
    event.preventDefault();
    document.querySelector<HTMLElement>(where)?.focus();
  };
const toContent = focusing('#content');
const toViews = focusing('.tabs a[aria-current]');

/** Sets the title to the current page, and scrolls a new page to its top. */
function useTitle(route: Route): void {
  const name = route.view === 'session' ? route.place.id : TITLES[route.view];
  useEffect(() => {
    document.title = `${name} · Spillway`;
    scrollTo(0, 0);
  }, [name]);
}

const TITLES = { sessions: 'Sessions', inbox: 'Inbox', knobs: 'Knobs' } as const;

function View({ route }: { readonly route: Route }) {
  switch (route.view) {
    case 'inbox':
      return <InboxPage />;
    case 'knobs':
      return <KnobsPage />;
    case 'session':
      return <SessionPage key={JSON.stringify(route.place)} {...route} />;
    default:
      return <ProjectPage />;
  }
}
