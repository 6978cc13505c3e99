import { Button } from '@mantine/core';
import { useState } from 'react';
import type { Place, Recalled } from '../../api/types';
import { counted } from '../../parts/format';
import { Empty } from '../../parts/states';
import { GiveBack } from '../give-back';
import { MessageDrawer } from '../context/message-drawer';

/** The first passages usually answer the question; the others share only a word or two with it. */
const SHOWN_FIRST = 3;

interface PassagesProps {
  readonly place: Place;
  readonly items: readonly Recalled[];
  /** The number of passages shown before "more" is clicked. */
  readonly shownFirst?: number | undefined;
}

/** Original words that recall finds, as the agent itself would receive them. */
export function Passages({ place, items, shownFirst = SHOWN_FIRST }: PassagesProps) {
  const [selected, setSelected] = useState<string>();
  const [isExpanded, setExpanded] = useState(false);
  const shown = isExpanded ? items : items.slice(0, shownFirst);
  if (items.length === 0) return <Empty title="No compacted message matches" />;
  return (
    <ul className="events passages">
      {shown.map(({ handle, role, text, about, place: at }) => (
        <li key={handle}>
          <p className="line">
            <button type="button" className="link mono" onClick={() => setSelected(idIn(handle))}>
              {handle}
            </button>
            <span className="soft">
              {role}
              {about === undefined ? '' : `, ${about}`}, message {at + 1}
            </span>
            <span className="cell-end">
              <GiveBack place={place} handle={idIn(handle)} isSmall isQuiet />
            </span>
          </p>
          <pre className="words" tabIndex={0} aria-label="What it says">
            {text}
          </pre>
        </li>
      ))}
      {shown.length < items.length && (
        <li>
          <Button variant="subtle" size="compact-xs" onClick={() => setExpanded(true)}>
            {shown.length === 0
              ? `Show ${counted(items.length, 'passage')}`
              : `Show ${items.length - shown.length} more`}
          </Button>
        </li>
      )}
      <MessageDrawer
        place={place}
        selected={selected === undefined ? undefined : { id: selected }}
        entries={[]}
        onClose={() => setSelected(undefined)}
      />
    </ul>
  );
}

/** `m12@1400` and `m12#0` are handles within the message m12. */
const idIn = (handle: string): string => handle.replace(/[@#].*$/, '');
