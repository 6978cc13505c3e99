/** What every drop-in may be told beside its session. */
export interface DropInOptions {
  /**
   * A message of the user that is nothing but `/compact` compacts the session, and is answered here. Off by default: in
   * front of end users it is text like any other.
   */
  readonly commands?: boolean;
}
