import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import { ask, type RequestOptions } from './client';
import { agentOf, pathOf } from './queries';
import type { Place } from './types';

/** An operator's action in a session. Afterwards the session's queries are fetched again, even if the action failed. */
export function useSessionAct<With, Said>(
  place: Place,
  act: (input: With) => readonly [path: string, asked: RequestOptions],
  onDone?: (said: Said, input: With) => void,
): UseMutationResult<Said, Error, With> {
  const queries = useQueryClient();
  return useMutation<Said, Error, With>({
    mutationFn: (input) => {
      const [path, asked] = act(input);
      return ask<Said>(`${pathOf(place)}${path}`, {
        method: 'POST',
        ...asked,
        query: { ...agentOf(place), ...asked.query },
      });
    },
    ...(onDone && { onSuccess: onDone }),
    onSettled: () => {
      // The action is complete: its caller does not wait for the new answers.
      void queries.invalidateQueries({ queryKey: ['session', place.id, place.agentPath] });
      void queries.invalidateQueries({ queryKey: ['project'] });
    },
  });
}
