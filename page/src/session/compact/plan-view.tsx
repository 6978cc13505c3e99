import { Button, TagsInput } from '@mantine/core';
import { useState } from 'react';
import { useMayChange, VIEWER_HINT } from '../../api/access';
import { useSessionAct } from '../../api/acts';
import type { CompactionRecord, Place, Plan, PlanChanges } from '../../api/types';
import { count, counted, exact, percent } from '../../parts/format';
import { messageOf } from '../../parts/states';
import { PlanAnswers, type AnswerName } from './plan-answers';
import { PlanEdits } from './plan-edits';
import { PlanPreview } from './plan-preview';
import { segment } from '../../route';

interface PlanViewProps {
  readonly place: Place;
  readonly plan: Plan;
  /** Called with the plan that replaces this one: a plan that is measured again has another hash. */
  readonly onPlan: (plan: Plan) => void;
  readonly onDone: (what: string, record?: CompactionRecord) => void;
  readonly answers: readonly AnswerName[];
}

/** A whole plan: every edit and the savings. A changed plan is measured again before it can be committed. */
export function PlanView({ place, plan, onPlan, onDone, answers }: PlanViewProps) {
  const mayChange = useMayChange();
  const [struck, setStruck] = useState<ReadonlySet<number>>(new Set());
  const [text, setText] = useState<Readonly<Record<string, string>>>({});
  const [keep, setKeep] = useState<readonly string[]>([]);
  const isChanged = struck.size > 0 || Object.keys(text).length > 0 || keep.length > 0;
  const change = useSessionAct<PlanChanges, Plan>(
    place,
    (body) => [`/plans/${segment(plan.hash)}`, { method: 'PATCH', body }],
    onPlan,
  );
  const measure = (): void =>
    change.mutate({
      ...(struck.size > 0 && { without: [...struck] }),
      ...(Object.keys(text).length > 0 && { text }),
      ...(keep.length > 0 && { keep: [...keep] }),
    });
  const strike = (at: number): void => {
    const next = new Set(struck);
    if (!next.delete(at)) next.add(at);
    setStruck(next);
  };
  return (
    <div className="in stack">
      <PlanFigures plan={plan} />
      <PlanEdits
        edits={plan.edits}
        struck={struck}
        text={text}
        mayChange={mayChange}
        onStrike={strike}
        onText={(at, words) => setText(withText(text, at, words))}
      />
      <TagsInput
        label="Messages to keep"
        description="Message ids; every edit that touches one of them is left out."
        placeholder="m12"
        value={[...keep]}
        onChange={setKeep}
        disabled={!mayChange}
      />
      {change.isError && <Fault error={change.error} />}
      {isChanged && (
        <div className="notice">
          <span>Your changes are not measured yet.</span>
          <Button
            className="end"
            loading={change.isPending}
            disabled={!mayChange}
            {...(!mayChange && { title: VIEWER_HINT })}
            onClick={measure}
          >
            Measure again
          </Button>
        </div>
      )}
      <PlanAnswers
        place={place}
        plan={plan}
        answers={answers}
        isChanged={isChanged}
        onDone={onDone}
        onMeasureAgain={() => change.mutate({})}
      />
      {!isChanged && <PlanPreview place={place} plan={plan} />}
    </div>
  );
}

function withText(text: Readonly<Record<string, string>>, at: number, words: string | undefined) {
  const { [at]: _, ...others } = text;
  return words === undefined ? others : { ...others, [at]: words };
}

function PlanFigures({ plan: { before, after, stages, edits, hash, inputs } }: { readonly plan: Plan }) {
  const freed = before.tokens === 0 ? 0 : 1 - after.tokens / before.tokens;
  const pressure = inputs.budget > 0 ? (after.tokens * inputs.scale) / inputs.budget : 0;
  return (
    <div className="line plan-figures">
      <b className="num" title={`${exact(before.tokens)} tokens before, ${exact(after.tokens)} after`}>
        {count(before.tokens)} → {count(after.tokens)} tokens
      </b>
      <span className="soft num" title="Share of the request that is removed">
        {percent(freed)} freed
      </span>
      <span className="soft num" title="Pressure before and after">
        pressure {percent(inputs.pressure)} → {percent(pressure)}
      </span>
      <span className="soft">{counted(edits.length, 'edit')}</span>
      {stages
        .filter(({ outcome }) => outcome === 'applied')
        .map(({ stage }) => (
          <span key={stage} className="mark">
            {stage}
          </span>
        ))}
      <span className="mono soft" title="A commit applies the plan with this hash, and no other">
        {hash.slice(0, 12)}
      </span>
    </div>
  );
}

function Fault({ error }: { readonly error: Error }) {
  return (
    <p className="bad" role="alert">
      {messageOf(error)}
    </p>
  );
}
