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
          <span className={`mark ${LOOKS[kind] ?? ''}`} title={MEANS[kind.replace('compaction.', '')]}>
            {kind.replace('compaction.', '')}
          </span>
          {ref !== undefined && <span className="mono">{isRecord ? ref : ref.slice(0, 12)}</span>}
          <span className="grow">{reason}</span>
          <span className="soft">
            <Num why={ago(when)}>{at(when)}</Num>
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

/** What a kind says to who hears it for the first time. */
const MEANS: Readonly<Record<string, string>> = {
  triggered: 'A run started: pressure passed a gate, or somebody asked.',
  completed: 'A compaction was committed.',
  noop: 'A run came to nothing: there was too little to free for what it would cost.',
  failed: 'A run could not do what it had to.',
  flagged: 'An operator judged a compaction.',
  undone: 'An operator took a compaction back.',
  'rolled-back': 'The log ends earlier from here on.',
  pending: 'A plan waits for approval.',
  approved: 'An operator said yes to a plan.',
  rejected: 'An operator said no to a plan.',
  'text-bought': 'A summarizer was asked for the text of a plan.',
  'given-back': 'An operator had the next request carry what had left.',
  'give-back-left-out': 'What was given back had no room in the next request.',
  overflow: 'The provider refused a request as too long.',
  'limit-learned': 'A refusal taught a limit of the model.',
};

const LOOKS: Readonly<Record<string, string>> = {
  'compaction.completed': 'accent',
  'compaction.failed': 'bad',
  'compaction.pending': 'accent',
  'compaction.overflow': 'warn',
};
