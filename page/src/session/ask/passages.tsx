import { useState } from 'react';
import type { Place, Recalled } from '../../api/types';
import { Empty } from '../../parts/states';
import { MessageDrawer } from '../context/message-drawer';

/** Original words that recall finds, as the agent itself would be given them. */
export function Passages({ place, items }: { readonly place: Place; readonly items: readonly Recalled[] }) {
  const [looked, setLooked] = useState<string>();
  if (items.length === 0) return <Empty title="Nothing was compacted that speaks of it" />;
  return (
    <ul className="events passages">
      {items.map(({ handle, role, text, about, place: at, of }) => (
        <li key={handle}>
          <p className="line">
            <button type="button" className="link mono" onClick={() => setLooked(idIn(handle))}>
              {handle}
            </button>
            <span className="soft">
              {role}
              {about === undefined ? '' : `, ${about}`}, message {at + 1} of {of}
            </span>
          </p>
          <pre className="words">{text}</pre>
        </li>
      ))}
      <MessageDrawer
        place={place}
        looked={looked === undefined ? undefined : { id: looked }}
        entries={[]}
        onClose={() => setLooked(undefined)}
      />
    </ul>
  );
}

/** `m12@1400`, `m12#0`: of the message m12. */
const idIn = (handle: string): string => handle.replace(/[@#].*$/, '');
