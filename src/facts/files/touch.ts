/** What a call does to one file. */
export interface Touch {
  readonly path: string;
  readonly how: 'read' | 'created' | 'modified' | 'deleted';
  /** For reads: which part, in whatever words the tool has for it; absent where the whole file was read. */
  readonly range?: string;
}
