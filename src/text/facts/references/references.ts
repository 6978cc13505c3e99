/** The state of a read: later repeated with the same arguments, or its target was written or read again since. */
export type ReadStatus = 'current' | 'repeated' | 'superseded';

/**
 * The cause of a stale read. `rewrite`: the whole file was read again, written or deleted; its present content is later
 * in the log or nowhere. `edit`: a part was changed; the rest of the read is still valid and only in this result.
 */
export type Supersession = 'rewrite' | 'edit';

/** Relations between exchanges of the log. Exchange numbers are those of the log (`Exchange.index`). */
export interface References {
  /**
   * Log position of the newest message that uses something this exchange introduced (a path, id or symbol that did not
   * occur before); undefined if nothing later refers to it.
   */
  lastUse(exchange: number): number | undefined;
  /** The state of what this exchange read; `current` if it read nothing. */
  readStatus(exchange: number): ReadStatus;
  /** For superseded reads: the cause; `edit` if one of several files was only edited. */
  supersededBy(exchange: number): Supersession | undefined;
}
