import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { session, sessions } from '../api/queries';
import type { Place } from '../api/types';
import { counted } from '../parts/format';
import { Answer } from '../parts/states';
import { callIn, linkTo, PRIMARY, sessionLink, TABS } from '../route';
import { AskTab } from './ask/ask-tab';
import { AuditTab } from './audit-tab';
import { CompactTab } from './compact/compact-tab';
import { ContextTab } from './context/context-tab';
import { PressurePanel } from './pressure-panel';
import { RecordsTab } from './records/records-tab';
import { ReleaseHolds } from './records/release-holds';
import { SessionFigures } from './session-figures';

/** The views for which the pressure chart is useful. */
const WITH_CHART: readonly string[] = ['context', 'compactions'];

interface SessionPageProps {
  readonly place: Place;
  readonly tab: string;
  readonly detail?: string;
}

/** One agent's session: its pressure over time, its compactions, and an operator's actions. */
export function SessionPage({ place, tab, detail }: SessionPageProps) {
  const summary = useQuery(session(place));
  return (
    <>
      <div className="head">
        <a href={linkTo({ view: 'sessions' })} className="soft">
          Sessions /
        </a>
        <h1 title={summary.data?.title}>
          {summary.data?.title !== undefined && <b>{summary.data.title}</b>}
          <span className={summary.data?.title === undefined ? '' : 'soft'}>{place.id}</span>
        </h1>
        <AgentChoice place={place} tab={tab} />
        {summary.data && (
          <span className="soft">
            {[summary.data.model ?? 'no model named', summary.data.format].filter(Boolean).join(' · ')}
          </span>
        )}
      </div>
      <Answer query={summary} rows={6}>
        {(said) => (
          <>
            {said.pending !== undefined && (
              <div className="notice" role="status">
                <b>A plan waits for approval.</b>
                <span className="soft">Calls that need it pause until it is answered.</span>
                <a className="end" href={linkTo({ view: 'inbox' })}>
                  Open the plan
                </a>
              </div>
            )}
            <HoldsNotice place={place} holds={said.holds ?? 0} pressure={said.reading?.pressure ?? 0} />
            <SessionFigures session={said} />
            <nav className="tabs" aria-label="Of this session">
              {TABS.map(([name, label]) => (
                <a
                  key={name}
                  href={sessionLink(place, name)}
                  {...(name === tab && { 'aria-current': 'page' as const })}
                >
                  {label}
                </a>
              ))}
            </nav>
            {WITH_CHART.includes(tab) && <PressurePanel place={place} tab={tab} detail={detail} />}
            {tabContent(place, tab, detail)}
          </>
        )}
      </Answer>
    </>
  );
}

/** Shows at the top that undo holds spans, because runs compact them only if nothing else makes the call fit. */
function HoldsNotice({
  place,
  holds,
  pressure,
}: {
  readonly place: Place;
  readonly holds: number;
  readonly pressure: number;
}) {
  if (holds === 0) return null;
  return (
    <div className="notice" role="status">
      <b className={pressure > 1 ? 'bad' : ''}>
        {pressure > 1 ? 'The next call does not fit as it is.' : `Undo holds ${counted(holds, 'span')}.`}
      </b>
      <span className="soft">
        {pressure > 1
          ? 'Undo holds the spans that it restored. If nothing else makes the call fit, they are compacted again.'
          : 'No run compacts the restored spans until you release them, unless nothing else makes the call fit.'}
      </span>
      <span className="end">
        <ReleaseHolds place={place} label="Release" />
      </span>
    </div>
  );
}

function tabContent(place: Place, tab: string, detail: string | undefined): ReactNode {
  switch (tab) {
    case 'compactions':
      return <RecordsTab place={place} open={detail} />;
    case 'compact':
      return <CompactTab place={place} />;
    case 'ask':
      return <AskTab key={detail} place={place} question={detail} />;
    case 'events':
      return <AuditTab place={place} />;
    default:
      return <ContextTab place={place} call={callIn(detail)} />;
  }
}

/** The agents of the session, if it has more than one. */
function AgentChoice({ place, tab }: { readonly place: Place; readonly tab: string }) {
  const { data } = useQuery(sessions);
  const agents = (data?.items ?? []).filter(({ id }) => id === place.id).map(({ agentPath }) => agentPath);
  if (agents.length < 2) return place.agentPath === PRIMARY ? null : <span>{place.agentPath}</span>;
  return (
    <Select
      aria-label="Agent"
      data={agents}
      value={place.agentPath}
      allowDeselect={false}
      onChange={(agentPath) => {
        if (agentPath !== null) location.hash = sessionLink({ ...place, agentPath }, tab);
      }}
    />
  );
}
