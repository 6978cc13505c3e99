export { SpillwayError, type ErrorDetails, type Fault } from './error.js';
export { ERROR_CODES, type ErrorCode } from './codes.js';
