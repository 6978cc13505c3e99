/**
 * Steps of the pipeline's own, by what they stand as beside stages in plans, records and reports. No stage may have one of
 * their names.
 */
export const PIPELINE_STEPS = {
  /** Pins are cut to their share. */
  pins: 'pins',
  /** Fresh results are cut to their share. */
  fresh: 'fresh',
  /** The oldest goes. */
  drop: 'drop',
  /** Digests grow into what is free. */
  regrow: 'regrow',
  /** What is carried beside digests. */
  claims: 'claims',
  /** What plugins have carried. */
  carriedByPlugin: 'inject',
  /** What a hook adds to one request. */
  addedByHook: 'injection',
  /** What a compactor made is taken over. */
  delegate: 'delegate',
  /** Signatures that a change would make void. */
  signatures: 'signatures',
} as const;

/** Names that no stage may have. */
export const STEP_NAMES: readonly string[] = Object.values(PIPELINE_STEPS);
