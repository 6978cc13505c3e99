import { useQuery } from '@tanstack/react-query';
import { audit } from '../api/queries';
import type { AuditEvent, Place } from '../api/types';
import { Num } from '../parts/figure';
import { ago, dateTime } from '../parts/format';
import { Answer, Empty } from '../parts/states';
import { sessionLink } from '../route';

/** The audit events of the session, newest first. */
export function AuditTab({ place }: { readonly place: Place }) {
  const events = useQuery(audit(place));
  return (
    <section className="panel" aria-label="Events">
      <Answer query={events} rows={10}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="Nothing happened yet" />
          ) : (
            <ul className="events">
              {items.map((event, row) => (
                <Event key={`${event.at} ${items.length - row}`} place={place} event={event} />
              ))}
            </ul>
          )
        }
      </Answer>
    </section>
  );
}

function Event({
  place,
  event: { kind, at: when, ref, body },
}: {
  readonly place: Place;
  readonly event: AuditEvent;
}) {
  const reason = [body.reason, body.text, body.notes].find((words) => typeof words === 'string') as
    string | undefined;
  const isRecord = ref !== undefined && /^c\d+$/.test(ref);
  return (
    <li>
      <details>
        <summary>
          <span className={`mark ${CLASSES[kind] ?? ''}`} title={MEANINGS[kind.replace('compaction.', '')]}>
            {kind.replace('compaction.', '')}
          </span>
          {ref !== undefined && <span className="mono">{isRecord ? ref : ref.slice(0, 12)}</span>}
          <span className="grow">{reason}</span>
          <span className="soft">
            <Num why={ago(when)}>{dateTime(when)}</Num>
          </span>
        </summary>
        {isRecord && (
          <p className="in">
            <a href={sessionLink(place, 'compactions', ref)}>Compaction {ref}</a>
          </p>
        )}
        <pre className="words" tabIndex={0} aria-label="The whole event">
          {JSON.stringify(body, null, 2)}
        </pre>
      </details>
    </li>
  );
}

/** Explains each kind of event. */
const MEANINGS: Readonly<Record<string, string>> = {
  triggered: 'A run started: pressure passed a gate, or a run was requested.',
  completed: 'A compaction was committed.',
  noop: 'A run changed nothing: it would have freed too little for its cost.',
  failed: 'A run failed; the event says why.',
  flagged: 'An operator judged a compaction.',
  undone: 'An operator undid a compaction.',
  'rolled-back': 'An operator rolled the log back to an earlier message.',
  pending: 'A plan waits for approval.',
  approved: 'An operator approved a plan.',
  rejected: 'An operator rejected a plan.',
  'text-bought': 'A summarizer was asked for the text of a plan.',
  'given-back': 'An operator gave content back to the next request.',
  'give-back-left-out': 'Content that was given back did not fit in the next request.',
  overflow: 'The provider refused a request as too long.',
  'limit-learned': 'A limit of the model was learned from a refusal.',
};

const CLASSES: Readonly<Record<string, string>> = {
  'compaction.completed': 'accent',
  'compaction.failed': 'bad',
  'compaction.pending': 'accent',
  'compaction.overflow': 'warn',
};
