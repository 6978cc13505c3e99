import type { Overflow, OverflowWording } from '../../spi/index.js';

/** A figure in a wording: behind a blank or a bracket, with separators. */
export const N = String.raw`[ (]*([\d][\d,._]*)`;

/** A wording without regard to case. */
export function wording(source: string, ...figures: (keyof Overflow)[]): OverflowWording {
  return [new RegExp(source, 'i'), ...figures];
}
