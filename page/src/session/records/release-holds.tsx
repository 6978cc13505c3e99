import { useSessionAct } from '../../api/acts';
import type { Place } from '../../api/types';
import { Confirm } from '../../parts/confirm';

/** Lets go of every span that undo holds. */
export function ReleaseHolds({ place, label }: { readonly place: Place; readonly label: string }) {
  const release = useSessionAct<void, undefined>(place, () => ['/release', {}]);
  return (
    <Confirm label={label} yes="Let go" act={() => release.mutateAsync()}>
      Spans of undone compactions are held: no run touches them. Let go, and the next run may take them again.
    </Confirm>
  );
}
