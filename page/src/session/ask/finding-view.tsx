import { useState } from 'react';
import type { CompactionSummary, Finding, Place } from '../../api/types';
import { counted } from '../../parts/format';
import { sessionLink } from '../../route';
import { MessageDrawer, type Fate } from '../context/message-drawer';
import { GiveBack } from '../give-back';
import { UndoRecord } from '../records/undo-record';

interface FindingProps {
  readonly place: Place;
  readonly finding: Finding;
  readonly records: readonly CompactionSummary[];
}

const MAX_SHOWN = 30;

/** The messages that hold the words, what became of them, and the operator's options. */
export function FindingView({ place, finding: { verdict, call, said, sentIn }, records }: FindingProps) {
  const [selected, setSelected] = useState<string>();
  const isSent = verdict === 'sent';
  const newest = records.find(({ status }) => status === 'committed')?.id;
  return (
    <div className="in stack">
      <p className="verdict" data-verdict={verdict}>
        <b>{VERDICTS[verdict].title}</b> {VERDICTS[verdict].text(call.call)}
      </p>
      {isSent && sentIn.length > 0 && (
        <p className="soft">
          They were in <span className="mono">{sentIn.slice(0, 8).join(', ')}</span> of that call
          {said.some(({ since }) => since !== undefined)
            ? '. The originals below may have left the context: the words reached the model from there.'
            : '.'}
        </p>
      )}
      {!isSent && said.some(({ since }) => since !== undefined) && (
        <p className="soft">
          Give one message back, and the next request carries it; its cost is shown first. Undo restores more:
          it also undoes all later compactions.
        </p>
      )}
      {said.length > 0 && (
        <div className="scroll" tabIndex={0} role="region" aria-label="Messages that hold the words">
          <table className="list said-in">
            <thead>
              <tr>
                <th>Message</th>
                <th>By</th>
                <th>Became</th>
                <th>Why</th>
                <th>By compaction</th>
                <th>
                  <span className="unseen">Bring back</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {said.slice(0, MAX_SHOWN).map(({ id, role, status, by, record, since }) => (
                <tr key={id} className="row">
                  <td>
                    <button type="button" className="link mono" onClick={() => setSelected(id)}>
                      {id}
                    </button>
                  </td>
                  <td>{role}</td>
                  <td>
                    <span className={`mark ${status === 'kept' || status === 'pinned' ? 'accent' : ''}`}>
                      {isSent && since !== undefined ? 'left the context' : status}
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
                  <td className="right">
                    {!isSent && since !== undefined && (
                      <span className="line acts">
                        <GiveBack place={place} handle={id} isSmall />
                        <UndoFor
                          place={place}
                          record={records.find((one) => one.id === since)}
                          newest={newest}
                        />
                      </span>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {said.length > MAX_SHOWN && (
        <p className="soft">and {counted(said.length - MAX_SHOWN, 'more message')}</p>
      )}
      <MessageDrawer
        place={place}
        selected={selected === undefined ? undefined : { id: selected }}
        entries={said as readonly Fate[]}
        onClose={() => setSelected(undefined)}
      />
    </div>
  );
}

/** Undoes the compaction that removed one message. */
function UndoFor({
  place,
  record,
  newest,
}: {
  readonly place: Place;
  readonly record: CompactionSummary | undefined;
  readonly newest: string | undefined;
}) {
  if (record?.status !== 'committed') return null;
  return <UndoRecord place={place} record={record} isNewest={record.id === newest} isSmall />;
}

const VERDICTS: Readonly<
  Record<Finding['verdict'], { readonly title: string; readonly text: (call: number) => string }>
> = {
  sent: {
    title: 'Not forgotten: sent.',
    text: (call) => `Call ${call} carried these words. The model had them and did not use them.`,
  },
  'compacted-out': {
    title: 'Compacted out.',
    text: (call) => `These words are in the log, but were not in call ${call}.`,
  },
  later: {
    title: 'Came later.',
    text: (call) => `The log did not hold these words when call ${call} was sent.`,
  },
  never: {
    title: 'Not in the log.',
    text: () => 'No message of the log holds exactly these words. Similar passages are below.',
  },
};
