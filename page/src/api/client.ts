import { token } from './token';
import type { Fault } from './types';

/** A fault that the service reports, or `UNREACHABLE` if the service does not answer. */
export class ApiError extends Error {
  readonly code: string;
  readonly status: number;
  readonly facts: Fault['facts'];

  constructor(status: number, { code, message, facts }: Pick<Fault, 'code' | 'message' | 'facts'>) {
    super(message);
    this.status = status;
    this.code = code;
    this.facts = facts;
  }
}

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly query?: Query;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** Asks the HTTP API. Rejects with an `ApiError`. */
export async function ask<Said>(
  path: string,
  { method = 'GET', query, body, signal }: RequestOptions = {},
): Promise<Said> {
  const answer = await fetch(`/api/v1${path}${queryOf(query)}`, {
    method,
    headers: { ...credentials(), ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  }).catch((cause: unknown) => {
    if (signal?.aborted) throw cause;
    throw new ApiError(0, { code: 'UNREACHABLE', message: 'The service does not answer.' });
  });
  const text = await answer.text();
  if (!answer.ok) throw faultOf(answer.status, text);
  return (text === '' ? undefined : JSON.parse(text)) as Said;
}

export function credentials(): Record<string, string> {
  const word = token.read();
  return word === null ? {} : { authorization: `Bearer ${word}` };
}

function queryOf(query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  if (given.length === 0) return '';
  return `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()}`;
}

function faultOf(status: number, text: string): ApiError {
  try {
    return new ApiError(status, (JSON.parse(text) as { readonly error: Fault }).error);
  } catch {
    return new ApiError(status, { code: `HTTP_${status}`, message: `The service answered with ${status}.` });
  }
}
