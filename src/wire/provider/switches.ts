import type { TruncationSwitch } from '../../spi/index.js';

/** A field that asks for cutting by being there. */
export function fieldAway(field: string): TruncationSwitch {
  return { field, off: (value) => (value === undefined ? undefined : { value: undefined, was: field }) };
}
