import { useSessionAct } from '../../api/acts';
import type { Place } from '../../api/types';
import { Confirm } from '../../parts/confirm';

/** Releases every span that undo holds. */
export function ReleaseHolds({ place, label }: { readonly place: Place; readonly label: string }) {
  const release = useSessionAct<void, undefined>(place, () => ['/release', {}]);
  return (
    <Confirm label={label} confirmLabel="Release" act={() => release.mutateAsync()}>
      Spans of undone compactions are held: no run compacts them unless nothing else makes the call fit. If
      you release them, the next run may compact them again.
    </Confirm>
  );
}
