import { useSessionAct } from '../api/acts';
import type { Place } from '../api/types';
import { Confirm } from '../parts/confirm';

/** Rolls the log back to a message. */
export function RollBack({ place, id }: { readonly place: Place; readonly id: string }) {
  const back = useSessionAct<string, object>(place, (message) => [
    '/rollback',
    { body: { message_id: message } },
  ]);
  return (
    <Confirm label={`Roll back to ${id}`} confirmLabel="Roll back" act={() => back.mutateAsync(id)}>
      Messages after {id} are left out from now on, and compactions made since are undone. Nothing is deleted:
      the log keeps every message.
    </Confirm>
  );
}
