import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import { ask, type Asked } from './client';
import { agentOf, pathOf } from './queries';
import type { Place } from './types';

/** Something an operator does in a session. What was asked of it before is asked anew, whatever came of it. */
export function useSessionAct<With, Said>(
  place: Place,
  act: (of: With) => readonly [path: string, asked: Asked],
  onDone?: (said: Said, of: With) => void,
): UseMutationResult<Said, Error, With> {
  const queries = useQueryClient();
  return useMutation<Said, Error, With>({
    mutationFn: (of) => {
      const [path, asked] = act(of);
      return ask<Said>(`${pathOf(place)}${path}`, {
        method: 'POST',
        ...asked,
        query: { ...agentOf(place), ...asked.query },
      });
    },
    ...(onDone && { onSuccess: onDone }),
    onSettled: () => {
      // Nobody waits for this: what was done is done.
      void queries.invalidateQueries({ queryKey: ['session', place.id, place.agentPath] });
      void queries.invalidateQueries({ queryKey: ['project'] });
    },
  });
}
