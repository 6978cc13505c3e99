/** Every code a Spillway error can carry; `docs/errors.md` holds the same table and a test compares them. */
export const ERROR_CODES = {
  INPUT_UNREADABLE: 'A file or stream could not be read.',
  INPUT_FORMAT: 'The input is in no format Spillway reads, or not in the one that was named.',
  INPUT_INDEX: 'A message index is outside the session, or not an assistant message.',
  CONFIG_INVALID: 'One or more settings are unknown or out of range; all are listed.',
  PROFILE_UNKNOWN: 'No profile of that name or path.',
  MESSAGE_ID_TAKEN: 'A message with this id is already in the log.',
  MESSAGE_UNKNOWN: 'No message with this id is in the log.',
  STAGE_UNKNOWN: 'The roster names a stage that nobody provides.',
  STAGE_DUPLICATE: 'Two stages carry the same name.',
  STAGE_FAILED: 'A stage threw or returned something that is no proposal; it was skipped.',
  EDIT_ILLEGAL: 'An edit breaks an invariant; it was refused and its stage named.',
  BUDGET_UNREACHABLE: 'What may never be removed is already larger than the budget.',
  COMPACTION_PENDING: 'A plan waits for an approval.',
  LEDGER_CONFLICT: 'The ledger moved on since the plan was made.',
  OUTPUT_UNWRITABLE: 'A result could not be written.',
  INTERNAL: 'A fault of Spillway itself.',
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;
