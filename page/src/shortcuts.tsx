import { ActionIcon, Modal, Switch } from '@mantine/core';
import { getHotkeyHandler } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { linkTo, sessionLink, TABS, type Route } from './route';

const VIEWS = [
  ['s', 'Sessions', 'sessions'],
  ['i', 'Inbox', 'inbox'],
  ['k', 'Knobs', 'knobs'],
] as const;

/** Keys that open a view, unless a text field has the focus. */
function useShortcuts(route: Route, isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return undefined;
    const go = (hash: string) => (): void => {
      location.hash = hash;
    };
    const search = (): void =>
      document.querySelector<HTMLInputElement>('main input[type=text], main input:not([type])')?.focus();
    const handleKey = getHotkeyHandler([
      ...VIEWS.map(([key, , view]) => [key, go(linkTo({ view }))] as [string, () => void]),
      ['/', search],
      ...(route.view === 'session'
        ? TABS.map(
            ([tab], place) => [String(place + 1), go(sessionLink(route.place, tab))] as [string, () => void],
          )
        : []),
    ]);
    const listen = (event: KeyboardEvent): void => {
      if (!isWriting(event.target) && document.querySelector('[role=dialog]') === null) handleKey(event);
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, [isOn, route]);
}

const isWriting = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** Single keys disturb users of speech input, so they can be switched off permanently. */
const OFF = 'spillway.shortcuts-off';

/** The list of keys, and the switch that turns them off. */
export function Shortcuts({ route }: { readonly route: Route }) {
  const [isOn, setOn] = useState(() => localStorage.getItem(OFF) === null);
  useShortcuts(route, isOn);
  const switchKeys = (on: boolean): void => {
    if (on) localStorage.removeItem(OFF);
    else localStorage.setItem(OFF, 'off');
    setOn(on);
  };
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <ActionIcon aria-label="Keyboard shortcuts" onClick={() => setOpen(true)}>
        <span aria-hidden="true">?</span>
      </ActionIcon>
      <Modal
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={<b>Keyboard shortcuts</b>}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <div className="stack">
          <Switch
            label="Use these keys"
            checked={isOn}
            onChange={(event) => switchKeys(event.currentTarget.checked)}
          />
          <dl className="keys">
            {VIEWS.map(([key, label]) => (
              <Row key={key} keyName={key} label={label} />
            ))}
            <Row keyName="/" label="To the field of this view" />
            {TABS.map(([tab, label], place) => (
              <Row key={tab} keyName={String(place + 1)} label={`In a session: ${label}`} />
            ))}
          </dl>
        </div>
      </Modal>
    </>
  );
}

function Row({ keyName, label }: { readonly keyName: string; readonly label: string }) {
  return (
    <div>
      <dt>
        <kbd>{keyName}</kbd>
      </dt>
      <dd>{label}</dd>
    </div>
  );
}
