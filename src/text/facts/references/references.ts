/** What became of a read: later repeated with the same arguments, or its target written or read again since. */
export type ReadStatus = 'current' | 'repeated' | 'superseded';

/**
 * What made a read stale. `rewrite`: the whole file was read again, written or deleted, so what it now holds stands
 * later or nowhere. `edit`: some of it was changed, and the rest of what was read still holds and stands only here.
 */
export type Supersession = 'rewrite' | 'edit';

/** Questions about how exchanges of the log relate. Exchange numbers are those of the log (`Exchange.index`). */
export interface References {
  /**
   * Log position of the newest message that uses something this exchange introduced (a path, id or symbol that stood
   * nowhere before it); undefined where nothing later refers to it.
   */
  lastUse(exchange: number): number | undefined;
  /** What became of what this exchange read; `current` where it read nothing. */
  readStatus(exchange: number): ReadStatus;
  /** For superseded reads: by what; `edit` where one file of several was no more than edited. */
  supersededBy(exchange: number): Supersession | undefined;
}
