/** What a call does to one file. */
export interface Touch {
  /** Of what is restored or put away also a folder; `.` for all. */
  readonly path: string;
  /** `restored`: as the newest commit has it; `stashed` and `unstashed`: put away until it is fetched again. */
  readonly how: 'read' | 'created' | 'modified' | 'deleted' | 'restored' | 'stashed' | 'unstashed';
  /** Of a move: where it came from. */
  readonly from?: string;
  /** For reads: which part, in whatever words the tool has for it; absent where the whole file was read. */
  readonly range?: string;
}

export interface Change extends Touch {
  readonly how: 'created' | 'modified' | 'deleted';
}

/** Whether a touch leaves a file other than it was, so that the change is work. */
export function isChange(touch: Touch): touch is Change {
  return touch.how === 'created' || touch.how === 'modified' || touch.how === 'deleted';
}
