import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify';
import { SpillwayError, type ErrorCode } from '../../errors/index.js';

const STATUS: Partial<Record<ErrorCode, number>> = {
  INTERNAL: 500,
  ACCESS_DENIED: 403,
  BUDGET_UNREACHABLE: 422,
  GIVE_BACK_TOO_LARGE: 422,
  SESSION_UNKNOWN: 404,
  MESSAGE_UNKNOWN: 404,
  CALL_UNKNOWN: 404,
  RECORD_UNKNOWN: 404,
  PLAN_UNKNOWN: 404,
  PROFILE_UNKNOWN: 404,
  LEDGER_CONFLICT: 409,
  UNDO_BLOCKED: 409,
  COMPACTION_PENDING: 409,
  MESSAGE_ID_TAKEN: 409,
  SESSION_FORMAT: 409,
  STORE_FAILED: 503,
  STORE_FULL: 503,
  STORE_DENIED: 503,
  STORE_DAMAGED: 503,
  STORE_SCHEMA: 503,
};

export const statusOf = (code: ErrorCode): number => STATUS[code] ?? 400;

/** Answers every fault in one format. An internal fault reveals no internals. */
export function answerFaults(app: FastifyInstance): void {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const { status, body } = answerTo(error, request);
    if (status >= 500)
      request.log.error(
        { code: body.error.code, ...(status === 500 && { stack: placesOf(error) }) },
        'failed',
      );
    void reply.code(status).send(body);
  });
  app.setNotFoundHandler((_, reply) => {
    const body = faultBody(
      'HTTP_404',
      'Nothing is at this address. Base URLs of OpenAI clients end in /v1; those of Anthropic clients do not. /api/v1/openapi.json lists the API.',
    );
    return reply.code(404).send(body);
  });
}

/** In the format of the API's `Fault`. */
function answerTo(error: FastifyError | SpillwayError, request: FastifyRequest) {
  if (error instanceof SpillwayError) {
    const { code, message, retryable, faults, facts } = error;
    return { status: statusOf(code), body: { error: { code, message, retryable, faults, facts } } };
  }
  const status = error.statusCode ?? 500;
  if (status >= 500) return { status, body: faultBody('INTERNAL', 'A fault of Spillway itself.') };
  return { status, body: faultBody(`HTTP_${status}`, faultMessage(error, request), status === 429) };
}

/** The message for a faulty request. If the body is too large, it names the limit and the setting. */
export function faultMessage(
  { statusCode, message }: { readonly statusCode?: number; readonly message: string },
  { server }: FastifyRequest,
): string {
  if (statusCode !== 413) return message;
  return `The body is larger than ${server.initialConfig.bodyLimit} bytes, the most that server.bodyBytes allows.`;
}

/** If the request itself is at fault, `code` is `HTTP_` and a status. */
export const faultBody = (code: string, message: string, retryable = false) => ({
  error: { code, message, retryable },
});

/** The lines of a stack with positions in code; its first line may quote a transcript. */
function placesOf({ stack = '' }: Error): string {
  return stack
    .split('\n')
    .filter((line) => line.startsWith('    at '))
    .join('\n');
}

/** Throws `ACCESS_DENIED`. */
export function denied(subject: string, found: string, remedy: string): SpillwayError {
  return new SpillwayError('ACCESS_DENIED', { subject, found, remedy });
}
