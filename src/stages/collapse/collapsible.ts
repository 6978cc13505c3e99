import type { Supersede } from '../../spi/index.js';

/** Something that could be collapsed, and what that is known to save. */
export interface Collapsible {
  readonly edit: Supersede;
  readonly saved: number;
  /** Log position, to go from oldest to newest. */
  readonly from: number;
}
