import { useQuery } from '@tanstack/react-query';
import { useSessionAct } from '../../api/acts';
import { history, session } from '../../api/queries';
import type { CompactionSummary, Place, Reading } from '../../api/types';
import { Confirm } from '../../parts/confirm';
import { percent } from '../../parts/format';
import { Undo } from '../../parts/icons';
import { ReleaseHolds } from './release-holds';

interface UndoProps {
  readonly place: Place;
  readonly record: CompactionSummary;
  readonly isNewest: boolean;
  /** One of many in a table. */
  readonly isSmall?: boolean;
}

/** Undoes a compaction: only the newest, or an older one with all compactions that build on it. */
export function UndoRecord({ place, record: { id, status }, isNewest, isSmall = false }: UndoProps) {
  const undo = useSessionAct<boolean, object>(place, (andLater) => [
    '/undo',
    { body: andLater ? { to: id } : { record: id } },
  ]);
  const pressure = usePressureAfter(place, id);
  if (status === 'undone') return <ReleaseHolds place={place} label="Release what undo holds" />;
  return (
    <Confirm
      label={isNewest ? `Undo ${id}` : `Undo ${id} and all later`}
      confirmLabel={isNewest ? 'Undo it' : 'Undo them'}
      icon={<Undo size={13} />}
      isSmall={isSmall}
      isQuiet={isSmall}
      isAdvisedAgainst={pressure !== undefined && pressure > 1}
      act={() => undo.mutateAsync(!isNewest)}
    >
      <div className="stack">
        <p>
          {isNewest
            ? 'The originals return to the context and are held: no run compacts them until you release the hold, unless nothing else makes a call fit.'
            : `Later compactions build on ${id}, so they are undone with it. The originals return to the context and are held until you release the hold.`}
        </p>
        <Afterwards pressure={pressure} />
      </div>
    </Confirm>
  );
}

/** The pressure of the request after the undo, with the originals back in it. */
function usePressureAfter(place: Place, id: string): number | undefined {
  const { data: summary } = useQuery(session(place));
  const { data: records } = useQuery(history(place));
  const reading = summary?.reading as (Reading & { readonly scale?: number }) | undefined;
  if (!reading || !records) return undefined;
  const newestFirst = records.items;
  const undone = newestFirst
    .slice(0, newestFirst.findIndex((one) => one.id === id) + 1)
    .filter(({ status }) => status === 'committed');
  const back = undone.reduce((sum, { plan }) => sum + plan.before.tokens - plan.after.tokens, 0);
  return reading.pressure + (back * (reading.scale ?? 1)) / reading.budget.tokens;
}

function Afterwards({ pressure }: { readonly pressure: number | undefined }) {
  if (pressure === undefined) return null;
  const sentence = (
    <>
      The request would be <b>{percent(pressure)}</b> of what fits
    </>
  );
  if (pressure <= 1) return <p className="soft">{sentence}.</p>;
  return (
    <p className="bad" role="alert">
      {sentence}. If nothing else makes the next call fit, the spans are compacted again, and all holds are
      released. To bring back one message, cancel this and give that message back.
    </p>
  );
}
