import { useState } from 'react';
import type { CompactionRecord, Finding, Place } from '../../api/types';
import { counted } from '../../parts/format';
import { sessionLink } from '../../route';
import { MessageDrawer, type Fate } from '../context/message-drawer';
import { UndoRecord } from '../records/undo-record';

interface FindingProps {
  readonly place: Place;
  readonly finding: Finding;
  readonly records: readonly CompactionRecord[];
}

const MOST = 30;

/** Where the words stood, what became of them, and what can be done. */
export function FindingView({ place, finding: { verdict, call, said, sentIn }, records }: FindingProps) {
  const [looked, setLooked] = useState<string>();
  const gone = said.filter(({ status }) => status === 'superseded' || status === 'replaced');
  const behind = new Set(gone.map(({ since }) => since));
  const newest = records.find(({ status }) => status === 'committed')?.id;
  return (
    <div className="in stack">
      <p className="verdict" data-verdict={verdict}>
        <b>{VERDICTS[verdict].title}</b> {VERDICTS[verdict].what(call.call)}
      </p>
      {verdict === 'sent' && sentIn.length > 0 && (
        <p className="soft">
          They stood in <span className="mono">{sentIn.slice(0, 8).join(', ')}</span> of that call.
        </p>
      )}
      {said.length > 0 && (
        <div className="scroll" tabIndex={0} role="region" aria-label="Messages that hold the words">
          <table className="list">
            <thead>
              <tr>
                <th>Said in</th>
                <th>By</th>
                <th>Became</th>
                <th>Why</th>
                <th>By compaction</th>
              </tr>
            </thead>
            <tbody>
              {said.slice(0, MOST).map(({ id, role, status, by, record }) => (
                <tr key={id} className="row">
                  <td>
                    <button type="button" className="link mono" onClick={() => setLooked(id)}>
                      {id}
                    </button>
                  </td>
                  <td>{role}</td>
                  <td>
                    <span className={`mark ${status === 'kept' || status === 'pinned' ? 'accent' : ''}`}>
                      {status}
                    </span>
                  </td>
                  <td>{by ? `${by.stage}: ${by.reason}` : '–'}</td>
                  <td>
                    {record === undefined ? (
                      '–'
                    ) : (
                      <a href={sessionLink(place, 'compactions', record)}>{record}</a>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {said.length > MOST && <p className="soft">and {counted(said.length - MOST, 'more message')}</p>}
      {gone.length > 0 && (
        <div className="stack">
          <h3>Bring it back</h3>
          <p className="soft">
            Open a message above to read its original words. Or take the compaction back: the originals stand
            in the context again.
          </p>
          <div className="line">
            {records
              .filter(({ id, status }) => behind.has(id) && status === 'committed')
              .map((record) => (
                <UndoRecord key={record.id} place={place} record={record} isNewest={record.id === newest} />
              ))}
          </div>
        </div>
      )}
      <MessageDrawer
        place={place}
        looked={looked === undefined ? undefined : { id: looked }}
        entries={said as readonly Fate[]}
        onClose={() => setLooked(undefined)}
      />
    </div>
  );
}

const VERDICTS: Readonly<
  Record<Finding['verdict'], { readonly title: string; readonly what: (call: number) => string }>
> = {
  sent: {
    title: 'Not forgotten: sent.',
    what: (call) => `Call ${call} carried these words. The model had them and did not use them.`,
  },
  'compacted-out': {
    title: 'Compacted out.',
    what: (call) => `These words had been said, and were not in call ${call}.`,
  },
  later: { title: 'Said later.', what: (call) => `Nobody had said these words when call ${call} was sent.` },
  never: {
    title: 'Never said word by word.',
    what: () => 'No message of the log holds exactly these words. Passages that come near are below.',
  },
};
