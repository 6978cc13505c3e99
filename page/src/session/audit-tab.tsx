import { useQuery } from '@tanstack/react-query';
import { audit } from '../api/queries';
import type { AuditEvent, Place } from '../api/types';
import { Num } from '../parts/figure';
import { ago, at } from '../parts/format';
import { Answer, Empty } from '../parts/states';
import { sessionLink } from '../route';

/** What happened to compaction here, newest first. */
export function AuditTab({ place }: { readonly place: Place }) {
  const events = useQuery(audit(place));
  return (
    <section className="panel" aria-label="Events">
      <Answer of={events} rows={10}>
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
          <span className={`mark ${LOOKS[kind] ?? ''}`}>{kind.replace('compaction.', '')}</span>
          {ref !== undefined && <span className="mono">{isRecord ? ref : ref.slice(0, 12)}</span>}
          <span className="grow">{reason}</span>
          <span className="soft">
            <Num why={at(when)}>{ago(when)}</Num>
          </span>
        </summary>
        {isRecord && (
          <p className="in">
            <a href={sessionLink(place, 'compactions', ref)}>Compaction {ref}</a>
          </p>
        )}
        <pre className="words">{JSON.stringify(body, null, 2)}</pre>
      </details>
    </li>
  );
}

const LOOKS: Readonly<Record<string, string>> = {
  'compaction.completed': 'accent',
  'compaction.failed': 'bad',
  'compaction.pending': 'accent',
  'compaction.overflow': 'warn',
};
