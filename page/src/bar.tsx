import { ActionIcon, Menu, Tooltip, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useWho } from './api/access';
import { token } from './api/token';
import { Dam, Key, Moon, Sun } from './parts/icons';
import { linkTo, type Route } from './route';

interface BarProps {
  readonly route: Route;
  readonly isLive: boolean;
  readonly waiting: number;
}

export function TopBar({ route, isLive, waiting }: BarProps) {
  const here = route.view === 'session' ? 'sessions' : route.view;
  const entry = (view: 'sessions' | 'inbox' | 'knobs', label: string) => (
    <a href={linkTo({ view })} {...(here === view && { 'aria-current': 'page' as const })}>
      {label}
      {view === 'inbox' && waiting > 0 && (
        <span className="count" title={`Plans that wait for a yes: ${waiting}`}>
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
      <Tooltip
        label={
          isLive
            ? 'What you see follows what happens.'
            : 'The service does not tell what happens; it is asked again and again.'
        }
      >
        <span className="live" data-on={isLive} role="status">
          <i />
          <span>{isLive ? 'live' : 'not connected'}</span>
        </span>
      </Tooltip>
      <SchemeToggle />
      <WhoMenu />
    </header>
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
