import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { inbox } from '../api/queries';
import type { Plan, WaitingPlan } from '../api/types';
import { Num } from '../parts/figure';
import { ago, dateTime } from '../parts/format';
import { Answer, Empty, SkippedNote } from '../parts/states';
import { PRIMARY, sessionLink } from '../route';
import { PlanView } from '../session/compact/plan-view';

/** Plans of all sessions that wait for approval. */
export function InboxPage() {
  const waiting = useQuery(inbox);
  const [done, setDone] = useState<string>();
  return (
    <>
      <div className="head">
        <h1>Inbox</h1>
        <span className="soft">
          plans that wait for approval; calls that need a plan pause until it is answered
        </span>
      </div>
      {done !== undefined && (
        <div className="notice" role="status">
          {done}
        </div>
      )}
      <Answer query={waiting}>
        {({ items, skipped }) => (
          <>
            <SkippedNote skipped={skipped} />
            {items.length === 0 ? (
              <section className="panel">
                <Empty title="Nothing waits">
                  <p>
                    A plan waits here if the setting <code>compaction.approval</code> is <code>ask</code>, or
                    if an operator lets it wait.
                  </p>
                </Empty>
              </section>
            ) : (
              items.map((one) => (
                <Waiting key={`${one.sessionId} ${one.agentPath}`} waiting={one} onDone={setDone} />
              ))
            )}
          </>
        )}
      </Answer>
    </>
  );
}

function Waiting({
  waiting: { sessionId, agentPath, at: since, plan: waits },
  onDone,
}: {
  readonly waiting: WaitingPlan;
  readonly onDone: (what: string) => void;
}) {
  const place = { id: sessionId, agentPath };
  // An edited plan replaces the waiting one. The inbox lists it a moment later, so the page keeps it until then.
  const [edited, setEdited] = useState<{ readonly was: string; readonly plan: Plan }>();
  const plan = edited?.was === waits.hash ? edited.plan : waits;
  return (
    <section className="panel" aria-label={`Plan of ${sessionId}`}>
      <header>
        <h2>
          <a href={sessionLink(place)}>{sessionId}</a>
        </h2>
        {agentPath !== PRIMARY && <span className="soft">{agentPath}</span>}
        <span className="soft">{plan.trigger.detail}</span>
        <span className="end soft">
          waits since <Num why={ago(since)}>{dateTime(since)}</Num>
        </span>
      </header>
      <PlanView
        key={plan.hash}
        place={place}
        plan={plan}
        onPlan={(next) => setEdited({ was: waits.hash, plan: next })}
        onDone={(what) => onDone(`${sessionId}: ${what}.`)}
        answers={['approve', 'reject']}
      />
    </section>
  );
}
