/** What became of a read: later repeated with the same arguments, or its target written or read again since. */
export type ReadStatus = 'current' | 'repeated' | 'superseded';

/** Questions about how exchanges of the log relate. Exchange numbers are those of the log (`Exchange.index`). */
export interface References {
  /**
   * Log position of the newest message that uses something this exchange introduced (a path, id or symbol that stood
   * nowhere before it); undefined where nothing later refers to it.
   */
  lastUse(exchange: number): number | undefined;
  /** How many later messages use something this exchange introduced. */
  uses(exchange: number): number;
  readStatus(exchange: number): ReadStatus;
}
