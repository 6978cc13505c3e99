import type { Place } from '../../api/types';
export function AskTab({ place }: { readonly place: Place; readonly asked: string | undefined }) {
  return <p>{place.id}</p>;
}
