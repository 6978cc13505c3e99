export { claimsText, type ClaimsRequest } from './text.js';
export { StatementLedger } from './statements.js';
