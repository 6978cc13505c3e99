export type { Claim, ClaimKind, ClaimStatus } from './claim.js';
export type { Ended } from './rules.js';
export { StatementLedger } from './statements.js';
export { claimsText, type ClaimsRequest } from './text.js';
