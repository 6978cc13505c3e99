export {
  ANY_TEXT,
  ANYTHING,
  BOOLEAN,
  COUNT,
  either,
  fieldFaults,
  FUNCTION,
  having,
  listOf,
  NULL,
  OBJECT,
  oneOf,
  TEXT,
  WHOLE,
  type Kind,
} from './kinds.js';
export {
  valueOrFault,
  idTaken,
  isIdTaken,
  isStoreFailure,
  SpillwayError,
  thrownText,
  type ErrorDetails,
  type Fault,
} from './error.js';
export { checkVersion, isMissing, missingPackage, orMissing, requirePackage } from './packages.js';
export { ERROR_CODES, type ErrorCode } from './codes.js';
