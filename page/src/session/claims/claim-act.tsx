import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { useSessionAct } from '../../api/acts';
import type { ClaimEnd, Place } from '../../api/types';
import { Confirm } from '../../parts/confirm';
import { Num } from '../../parts/figure';
import { ago, at } from '../../parts/format';

interface ActProps {
  readonly place: Place;
  /** Names the claim. */
  readonly claim: string;
  readonly text: string;
  readonly isOver: boolean;
}

const HEARD_CHARS = 80;

/** Ends a claim by hand, or brings it back. */
export function ClaimAct({ place, claim, text, isOver }: ActProps) {
  const [notes, setNotes] = useState('');
  const act = useSessionAct<'end' | 'restore', object>(place, (what) => [
    `/claims/${encodeURIComponent(claim)}/${what}`,
    { body: notes.trim() === '' ? {} : { notes: notes.trim() } },
  ]);
  const heard = text.slice(0, HEARD_CHARS);
  const why = (
    <TextInput
      label="Why"
      placeholder="Kept with it, for whoever asks later"
      value={notes}
      onChange={(event) => setNotes(event.currentTarget.value)}
    />
  );
  if (isOver)
    return (
      <Confirm
        label="Bring back"
        name={`Bring back: ${heard}`}
        yes="Bring it back"
        isSmall
        isQuiet
        act={() => act.mutateAsync('restore')}
      >
        <div className="stack">
          <q className="said">{text}</q>
          <p>It holds again: the next compaction carries it, where the request does not say it anyway.</p>
          {why}
        </div>
      </Confirm>
    );
  return (
    <Confirm
      label="End"
      name={`End: ${heard}`}
      yes="End it"
      isSmall
      isQuiet
      act={() => act.mutateAsync('end')}
    >
      <div className="stack">
        <q className="said">{text}</q>
        <p>
          It holds no more. The request of now stays as it is, for the provider’s cache; the next compaction
          leaves these words out, and where they still stand in the talk it says that they are over. Nothing
          is deleted, and you can bring it back.
        </p>
        {why}
      </div>
    </Confirm>
  );
}

/** Who ended it, when and why. */
export function EndedBy({ of: { by, at: when, notes } }: { readonly of: ClaimEnd }) {
  return (
    <>
      ended by {by} <Num why={at(when)}>{ago(when)}</Num>
      {notes !== undefined && `: ${notes}`}
    </>
  );
}
