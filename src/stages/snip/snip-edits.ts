import type { Edit, ViewExchange } from '../../spi/index.js';

/** Edits of one class, and the exchanges that leave the view by them: no other edit may name those. */
export interface SnipEdits {
  readonly edits: readonly Edit[];
  readonly gone: ReadonlySet<ViewExchange>;
}

export const NOTHING: SnipEdits = { edits: [], gone: new Set() };
