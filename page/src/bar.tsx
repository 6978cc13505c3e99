import { ActionIcon, Menu, Tooltip, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useWho } from './api/access';
import type { Live } from './api/live';
import { token } from './api/token';
import { Dam, Key, Moon, Sun } from './parts/icons';
import { dateTime } from './parts/format';
import { linkTo, type Route } from './route';
import { Shortcuts } from './shortcuts';

interface BarProps {
  readonly route: Route;
  readonly live: Live;
  readonly waiting: number;
}

export function TopBar({ route, live, waiting }: BarProps) {
  const { state, why } = liveText(live);
  const here = route.view === 'session' ? 'sessions' : route.view;
  const entry = (view: 'sessions' | 'inbox' | 'knobs', label: string) => (
    <a href={linkTo({ view })} {...(here === view && { 'aria-current': 'page' as const })}>
      {label}
      {view === 'inbox' && waiting > 0 && (
        <span className="count" title={`Plans that wait for approval: ${waiting}`}>
          {waiting}
        </span>
      )}
    </a>
  );
  return (
    <header className="bar">
      <a className="name" href="#/" aria-label="Spillway">
        <Dam size={18} />
        <span>Spillway</span>
      </a>
      <nav aria-label="Pages">
        {entry('sessions', 'Sessions')}
        {entry('inbox', 'Inbox')}
        {entry('knobs', 'Knobs')}
      </nav>
      <Tooltip label={why}>
        <span className="live" data-on={state} role="status">
          <i />
          <span>{state}</span>
        </span>
      </Tooltip>
      <Shortcuts route={route} />
      <SchemeToggle />
      <WhoMenu />
    </header>
  );
}

function liveText(live: Live): { readonly state: string; readonly why: string } {
  if (live === 'live') return { state: 'live', why: 'The page updates as things happen.' };
  if (live === 'opening') return { state: 'connecting', why: 'The page is connecting to the service.' };
  if (live === 'mute')
    return {
      state: 'not live',
      why: 'The service answers, but sends no events: reload the page to see changes.',
    };
  return { state: 'gone', why: `The service has not answered since ${dateTime(live.goneSince)}.` };
}

/** A banner above the page, which says that the shown figures are old. */
export function GoneBanner({ live }: { readonly live: Live }) {
  if (typeof live !== 'object') return null;
  return (
    <div className="gone-banner" role="alert">
      <b>The service does not answer.</b> What you see is from {dateTime(live.goneSince)} or before. The page
      keeps trying, and updates once the service answers.
    </div>
  );
}

function SchemeToggle() {
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light');
  const other = scheme === 'dark' ? 'light' : 'dark';
  return (
    <ActionIcon aria-label={`Show the page ${other}`} onClick={() => setColorScheme(other)}>
      {scheme === 'dark' ? <Sun /> : <Moon />}
    </ActionIcon>
  );
}

function WhoMenu() {
  const who = useWho();
  const queries = useQueryClient();
  if (!who || token.read() === null) return null;
  const leave = (): void => {
    token.forget();
    void queries.resetQueries();
  };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon aria-label={`Your token: ${who.name}, ${who.role}`}>
          <Key />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {who.name}, {who.role}
          {who.tenant === '' ? '' : `, of ${who.tenant}`}
        </Menu.Label>
        <Menu.Item onClick={leave}>Forget the token</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
