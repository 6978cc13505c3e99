import type { Place } from '../../api/types';
export function CompactTab({ place }: { readonly place: Place }) {
  return <p>{place.id}</p>;
}
