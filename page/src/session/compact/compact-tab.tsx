import { useState } from 'react';
import { useSessionAct } from '../../api/acts';
import type { DryRun, Place, Plan, RunOverrides } from '../../api/types';
import { Empty, Failed } from '../../parts/states';
import { linkTo, sessionLink } from '../../route';
import { OverridesForm } from './overrides-form';
import { PlanView } from './plan-view';

/** A manual compaction: its settings, its plan, and the choice of edits to commit. */
export function CompactTab({ place }: { readonly place: Place }) {
  const [plan, setPlan] = useState<Plan>();
  const [done, setDone] = useState<string>();
  const dryRun = useSessionAct<RunOverrides, DryRun>(
    place,
    (overrides) => ['/plans', { body: { ...overrides, agent_path: place.agentPath } }],
    (run) => {
      setPlan(run.kind === 'planned' ? run.plan : undefined);
      setDone(undefined);
    },
  );
  const finished = (what: string): void => {
    setPlan(undefined);
    dryRun.reset();
    setDone(what);
  };
  return (
    <div className="by-hand">
      <section className="panel" aria-label="How to compact">
        <header>
          <h2>How</h2>
          <span className="soft">for this one run</span>
        </header>
        <OverridesForm isBusy={dryRun.isPending} onPreview={(overrides) => dryRun.mutate(overrides)} />
      </section>
      <section className="panel" aria-label="What it would do" aria-live="polite">
        <header>
          <h2>What it would do</h2>
          <span className="soft">nothing is changed until you commit</span>
        </header>
        {done !== undefined && (
          <Empty title={done}>
            <p>
              See <a href={sessionLink(place, 'compactions')}>the compactions</a>,{' '}
              <a href={sessionLink(place, 'context')}>the context</a> as it is now, or{' '}
              <a href={linkTo({ view: 'inbox' })}>the inbox</a>.
            </p>
          </Empty>
        )}
        {dryRun.isError && <Failed error={dryRun.error} />}
        {dryRun.data && !plan && (
          <Empty
            title={dryRun.data.kind === 'noop' ? 'It would change nothing' : 'The budget cannot be reached'}
          >
            <p>{dryRun.data.reason}</p>
          </Empty>
        )}
        {plan && (
          <PlanView
            key={plan.hash}
            place={place}
            plan={plan}
            onPlan={setPlan}
            onDone={finished}
            answers={['commit', 'propose']}
          />
        )}
        {!dryRun.data && !dryRun.isError && done === undefined && (
          <Empty title="No plan yet">
            <p>Preview shows every edit with its reason and words. You can strike or reword each edit.</p>
          </Empty>
        )}
      </section>
    </div>
  );
}
