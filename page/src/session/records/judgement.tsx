import { Button, SegmentedControl, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useMayChange, VIEWER_HINT } from '../../api/access';
import { useSessionAct } from '../../api/acts';
import type { CompactionRecord, CompactionSummary, Flag, Place } from '../../api/types';
import { messageOf } from '../../parts/states';
import { segment } from '../../route';

/** The operator's judgement (good, bad or neutral) and notes, which are kept with the compaction. */
export function Judgement({ place, record }: { readonly place: Place; readonly record: CompactionSummary }) {
  const mayChange = useMayChange();
  const [flag, setFlag] = useState<Flag | undefined>(record.flag);
  const [notes, setNotes] = useState(record.notes ?? '');
  const judge = useSessionAct<{ readonly flag: Flag; readonly notes: string }, CompactionRecord>(
    place,
    (body) => [`/compactions/${segment(record.id)}`, { method: 'PATCH', body }],
  );
  const isNew = flag !== record.flag || notes !== (record.notes ?? '');
  return (
    <form
      className="line judgement"
      onSubmit={(event) => {
        event.preventDefault();
        if (flag) judge.mutate({ flag, notes });
      }}
    >
      <SegmentedControl
        aria-label={`Judgement of ${record.id}`}
        disabled={!mayChange}
        value={flag ?? ''}
        onChange={(value) => setFlag(value as Flag)}
        data={[
          { value: 'good', label: 'Good' },
          { value: 'neutral', label: 'Neutral' },
          { value: 'bad', label: 'Bad' },
        ]}
      />
      <TextInput
        className="grow"
        aria-label={`Notes on ${record.id}`}
        placeholder="Notes: what was lost, what was right"
        value={notes}
        disabled={!mayChange}
        onChange={(event) => setNotes(event.currentTarget.value)}
      />
      <Button
        type="submit"
        variant="default"
        disabled={!mayChange || !isNew || !flag}
        loading={judge.isPending}
        {...(!mayChange && { title: VIEWER_HINT })}
      >
        Keep judgement
      </Button>
      {judge.isError && (
        <span className="bad" role="alert">
          {messageOf(judge.error)}
        </span>
      )}
    </form>
  );
}
