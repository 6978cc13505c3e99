/** An error as a provider meant it. */
interface Refusal {
  /** What it says in words. */
  readonly texts: readonly string[];
  /** Its codes and types, as far as they are words. */
  readonly codes: readonly string[];
  readonly statuses: ReadonlySet<number>;
  /** Its body gives back what it was sent. */
  readonly echoes: boolean;
}

/** Fields in which clients and servers say what is wrong. */
const WORDS: ReadonlySet<string> = new Set([
  'message',
  'msg',
  'detail',
  'error',
  'error_message',
  'errorMessage',
  'error_msg',
  'reason',
  'stop_reason',
  'finish_reason',
  'finishReason',
  'raw',
  'body',
  'responseBody',
  'data',
]);
/** Fields in which the body of an answer, or an error behind the error, is found. */
const INSIDE: ReadonlySet<string> = new Set([
  ...WORDS,
  'errors',
  'cause',
  'response',
  'metadata',
  'lastError',
  'innererror',
  'incomplete_details',
]);
const CODES: ReadonlySet<string> = new Set(['code', 'type', 'status', 'statusCode', '__type']);
/** FastAPI's and Groq's names for what was sent. */
const ECHOES = ['input', 'failed_generation'];

const DEEPEST = 6;
const MOST_CHARS = 10_000;

/**
 * Reads what an error says of itself, in the fields where clients keep that. Nothing else is read: servers give back what
 * they were sent, and a transcript may speak of context lengths.
 */
export function readRefusal(error: unknown): Refusal {
  const texts: string[] = [];
  const codes: string[] = [];
  const statuses = new Set<number>();
  let echoes = false;
  const seen = new Set<object>();
  const read = (value: unknown, depth: number): void => {
    if (depth > DEEPEST) return;
    if (typeof value === 'string') {
      const body = bodyIn(value);
      if (body !== undefined) read(body, depth + 1);
      else texts.push(value.slice(0, MOST_CHARS));
      return;
    }
    if (typeof value !== 'object' || value === null || seen.has(value)) return;
    seen.add(value);
    if (Array.isArray(value)) return value.forEach((one) => read(one, depth + 1));
    const fields = value as Readonly<Record<string, unknown>>;
    echoes ||= depth > 0 && ECHOES.some((name) => fields[name] !== undefined);
    for (const name of new Set([...Object.keys(fields), 'message', 'cause'])) {
      const field = fields[name];
      if (CODES.has(name)) readCode(field, codes, statuses);
      else if (typeof field === 'string' ? WORDS.has(name) : INSIDE.has(name)) read(field, depth + 1);
    }
  };
  read(error, 0);
  return { texts, codes, statuses, echoes };
}

function readCode(value: unknown, codes: string[], statuses: Set<number>): void {
  const status = typeof value === 'number' || typeof value === 'string' ? Number(value) : NaN;
  if (Number.isInteger(status)) statuses.add(status);
  else if (typeof value === 'string' && value !== '') codes.push(value.slice(0, 200));
}

/** A body that stands in a text, as clients write it into their messages: `400 {"error":{…}}`. */
function bodyIn(text: string): unknown {
  const json = /^\s*(?:\d{3}\s+)?([{[][^]*[}\]])\s*$/.exec(text)?.[1];
  if (json === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' ? value : undefined;
  } catch {
    return undefined;
  }
}
