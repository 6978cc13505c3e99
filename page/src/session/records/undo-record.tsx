import { useSessionAct } from '../../api/acts';
import type { CompactionRecord, Place } from '../../api/types';
import { Confirm } from '../../parts/confirm';
import { Undo } from '../../parts/icons';

interface UndoProps {
  readonly place: Place;
  readonly record: CompactionRecord;
  readonly isNewest: boolean;
  /** One of many in a table. */
  readonly isSmall?: boolean;
}

/** Takes a compaction back: the newest alone, an older one with all that built on it. */
export function UndoRecord({ place, record: { id, status }, isNewest, isSmall = false }: UndoProps) {
  const undo = useSessionAct<boolean, object>(place, (andLater) => [
    `/compactions/${encodeURIComponent(id)}/undo`,
    { body: { and_later: andLater } },
  ]);
  const release = useSessionAct<void, undefined>(place, () => ['/release', {}]);
  if (status === 'undone')
    return (
      <Confirm label="Let go of what undo holds" yes="Let go" act={() => release.mutateAsync()}>
        Spans of undone compactions are held: no run touches them. Let go, and the next run may take them
        again.
      </Confirm>
    );
  return (
    <Confirm
      label={isNewest ? `Undo ${id}` : `Undo ${id} and all later`}
      yes={isNewest ? 'Undo it' : 'Undo them'}
      icon={<Undo size={13} />}
      isSmall={isSmall}
      act={() => undo.mutateAsync(!isNewest)}
    >
      {isNewest
        ? 'The originals stand in the context again, and are held: no run takes them until you let go.'
        : `Later compactions build on ${id}, so they are taken back with it. The originals stand in the context again, and are held until you let go.`}
    </Confirm>
  );
}
