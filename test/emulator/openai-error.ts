import type { Failure } from './acts.js';

const TYPES: Readonly<Record<Failure['kind'], string>> = {
  'rate-limit': 'requests',
  server: 'server_error',
  overloaded: 'server_error',
  authentication: 'invalid_request_error',
  'context-length': 'invalid_request_error',
};

const CODES: Readonly<Record<Failure['kind'], string | null>> = {
  'rate-limit': 'rate_limit_exceeded',
  server: null,
  overloaded: null,
  authentication: 'invalid_api_key',
  'context-length': 'context_length_exceeded',
};

/** An error in the words of OpenAI's interfaces. */
export const openaiError = ({ kind, message }: Failure): unknown => ({
  error: { message, type: TYPES[kind], code: CODES[kind], param: null },
});
