import { Button, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useMayChange, VIEWER_HINT } from '../../api/access';
import { useSessionAct } from '../../api/acts';
import { ApiError } from '../../api/client';
import type { CompactionRecord, Place, Plan } from '../../api/types';
import { messageOf } from '../../parts/states';
import { segment } from '../../route';

export type AnswerName = 'commit' | 'propose' | 'approve' | 'reject';

const ANSWERS: Readonly<
  Record<AnswerName, { readonly label: string; readonly done: string; readonly isMain: boolean }>
> = {
  commit: { label: 'Commit this plan', done: 'Committed', isMain: true },
  propose: { label: 'Let it wait for approval', done: 'It waits in the inbox', isMain: false },
  approve: { label: 'Approve', done: 'Approved and committed', isMain: true },
  reject: { label: 'Reject', done: 'Rejected', isMain: false },
};

interface AnswersProps {
  readonly place: Place;
  readonly plan: Plan;
  readonly answers: readonly AnswerName[];
  readonly isChanged: boolean;
  readonly onDone: (what: string, record?: CompactionRecord) => void;
  readonly onMeasureAgain: () => void;
}

interface AnswerInput {
  readonly name: AnswerName;
  readonly notes: string;
}

/** The answers that a plan accepts. They apply to exactly this plan, by its hash. */
export function PlanAnswers({ place, plan, answers, isChanged, onDone, onMeasureAgain }: AnswersProps) {
  const mayChange = useMayChange();
  const [notes, setNotes] = useState('');
  const answer = useSessionAct<AnswerInput, { readonly record?: CompactionRecord }>(
    place,
    ({ name, notes: words }) => [
      `/plans/${segment(plan.hash)}/${name}`,
      { body: name === 'reject' && words.trim() !== '' ? { notes: words } : {} },
    ],
    ({ record }, { name }) =>
      onDone(record ? `${ANSWERS[name].done} as ${record.id}` : ANSWERS[name].done, record),
  );
  const hint = mayChange ? 'Measure your changes first.' : VIEWER_HINT;
  const isStale = answer.error instanceof ApiError && answer.error.code === 'LEDGER_CONFLICT';
  return (
    <>
      {answers.includes('reject') && (
        <Textarea
          label="Notes"
          description="Kept with a rejection."
          autosize
          minRows={1}
          value={notes}
          disabled={!mayChange}
          onChange={(event) => setNotes(event.currentTarget.value)}
        />
      )}
      <div className="line">
        {answers.map((name) => (
          <Button
            key={name}
            variant={ANSWERS[name].isMain ? 'filled' : 'default'}
            disabled={isChanged || !mayChange}
            loading={answer.isPending && answer.variables.name === name}
            {...((isChanged || !mayChange) && { title: hint })}
            onClick={() => answer.mutate({ name, notes })}
          >
            {ANSWERS[name].label}
          </Button>
        ))}
      </div>
      {answer.isError && (
        <div className="notice bad" role="alert">
          <span>{messageOf(answer.error)}</span>
          {isStale && (
            <Button className="end" variant="default" onClick={onMeasureAgain}>
              Measure it again
            </Button>
          )}
        </div>
      )}
    </>
  );
}
