import type { ClaimEnd, Place } from '../../api/types';
import { sessionLink } from '../../route';
import { ClaimAct, EndedBy } from './claim-act';

/** A thing that is carried, as a row shows it. */
export interface Shown {
  readonly text: string;
  readonly id: string;
  readonly isSent: boolean;
  readonly record?: string | undefined;
  readonly endedBy?: string | undefined;
  readonly later?: { readonly text: string; readonly id: string } | undefined;
  readonly mark?: string;
  readonly isPath?: boolean;
  readonly isEnded?: boolean;
  readonly ref: string;
  /** By an operator, who may bring it back. */
  readonly ended?: ClaimEnd | undefined;
  /** Over, and carried all the same until the next compaction. */
  readonly isStillSent?: boolean;
}

interface RowsProps {
  readonly title: string;
  readonly why: string;
  readonly rows: readonly Shown[];
  readonly place: Place;
  readonly onLook: (id: string) => void;
}

/** Things of one kind, each with the message that says it one click away. */
export function ClaimRows({ title, why, rows, place, onLook }: RowsProps) {
  if (rows.length === 0) return null;
  return (
    <section className="panel" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <span className="soft">{rows.length}</span>
        <span className="soft wide">{why}</span>
      </header>
      <ul className="claims">
        {rows.map((row, at) => (
          <li key={`${row.ref} ${at}`} data-ended={row.isEnded === true}>
            <div className="claim-words">
              {row.mark !== undefined && <span className={`mark ${LOOKS[row.mark] ?? ''}`}>{row.mark}</span>}
              <span className={row.isPath ? 'mono' : 'said'}>{row.text}</span>
              {row.ended ? (
                <small>
                  <EndedBy of={row.ended} />
                  {row.isStillSent && ' · still carried, until the next compaction'}
                </small>
              ) : (
                row.endedBy !== undefined && <small>ended by: {row.endedBy}</small>
              )}
              {row.later !== undefined && (
                <small>
                  said later ({row.later.id}): {row.later.text}
                </small>
              )}
            </div>
            <div className="claim-place">
              <button
                type="button"
                className="link mono"
                title="Read the message"
                aria-label={`Read ${row.id}, which says: ${row.text.slice(0, 80)}`}
                onClick={() => onLook(row.id)}
              >
                {row.id}
              </button>
              <Whereabouts of={row} place={place} />
            </div>
            <div className="claim-act">
              {(row.ended !== undefined || !row.isEnded) && (
                <ClaimAct place={place} claim={row.ref} text={row.text} isOver={row.ended !== undefined} />
              )}
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

const LOOKS: Readonly<Record<string, string>> = { created: 'good', deleted: 'bad', modified: 'accent' };

/** Whether the model still reads it where it was said. */
function Whereabouts({
  of: { isSent, record, isEnded },
  place,
}: {
  readonly of: Shown;
  readonly place: Place;
}) {
  if (isSent)
    return (
      <span className="soft" title="The model still sees the message itself.">
        in the request
      </span>
    );
  if (record === undefined) return <span className="soft">left</span>;
  return (
    <a
      href={sessionLink(place, 'compactions', record)}
      title={`Compaction ${record} took the message${isEnded ? '' : '; these words are carried'}.`}
    >
      left in {record}
    </a>
  );
}
