import { useSessionAct } from '../api/acts';
import type { Place } from '../api/types';
import { Confirm } from '../parts/confirm';

/** Goes back to a message of the log. */
export function RollBack({ place, id }: { readonly place: Place; readonly id: string }) {
  const back = useSessionAct<string, object>(place, (message) => [
    '/rollback',
    { body: { message_id: message } },
  ]);
  return (
    <Confirm label={`Roll back to ${id}`} yes="Roll back" act={() => back.mutateAsync(id)}>
      What came after {id} is left out from here on, and compactions made since are taken back. Nothing is
      deleted: the log keeps it all.
    </Confirm>
  );
}
