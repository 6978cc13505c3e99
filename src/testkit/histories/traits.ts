/** What histories may hold beside plain talk and calls with their results. */
export const TRAITS = [
  /** Several calls in one step, their results in any order. */
  'parallel',
  /** Steps whose last results never came. */
  'interrupted',
  /** Results that come behind later messages. */
  'late',
  /** Results that come twice. */
  'duplicate',
  /** Results of calls that never were. */
  'orphan',
  /** Ids of calls that return in later steps, or that providers refuse. */
  'reused-ids',
  /** Texts and results of nothing. */
  'empty',
  /** Single results as large as a small window. */
  'huge',
  /** Other scripts, halves of surrogate pairs, control characters, markup. */
  'unicode',
  /** Arguments that are no JSON. */
  'malformed',
  'images',
  /** Signed thinking. */
  'reasoning',
  /** What only another format understands. */
  'approvals',
  /** Instructions midway, programs in the user's place. */
  'instructions',
  /** Messages that nobody may touch. */
  'pins',
  /** Beginning or ending with the assistant; the same role twice. */
  'turns',
] as const;

export type Trait = (typeof TRAITS)[number];

/** Traits that leave nothing to mend: every call answered once, in its place. */
export const ORDERLY: readonly Trait[] = ['parallel', 'huge', 'unicode', 'images', 'reasoning', 'pins'];
