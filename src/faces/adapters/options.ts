/** What every drop-in may be told beside its session. */
export interface DropInOptions {
  /**
   * A message of the user that is nothing but `/compact` compacts the session, and is answered here. Off by default: in
   * front of end users it is text like any other.
   */
  readonly commands?: boolean;
  /**
   * Offers the model a tool that reads back what was compacted, and answers it within the call: so many times at most, four
   * for `true`. The client sees one answer or one stream, its usage summed, and nothing of the tool; the log has it all.
   */
  readonly recall?: boolean | number;
}
