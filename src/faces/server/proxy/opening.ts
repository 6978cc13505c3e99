import { SpillwayError } from '../../../errors/index.js';
import type { Fault } from '../../endpoints/index.js';
import { isFields, jsonIn, readOverflow, type Fields } from '../../../formats/index.js';
import type { StreamEvent } from './sse.js';

/** An answer that is no answer: as the upstream gave it, to be handed on byte for byte. */
export class Refused extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly bytes: Buffer;
  /** What it says, where a reader of refusals looks for it. */
  readonly error: unknown;
  /** What was sent to be refused so. */
  sent: Buffer | undefined;

  constructor(status: number, headers: Refused['headers'], bytes: Buffer, error: unknown = parsed(bytes)) {
    super(`the upstream answered with ${status}`);
    this.status = status;
    this.headers = headers;
    this.bytes = bytes;
    this.error = error;
  }

  /** What was sent, under the name by which a reader of refusals looks for it: it tells what is quoted. */
  get requestBody(): string | undefined {
    return this.sent?.toString('utf8');
  }
}

/** Errors of providers are short: what is longer is a page of somebody's, and goes on unread. */
const MOST_ERROR_BYTES = 1_048_576;

function parsed(bytes: Buffer): unknown {
  if (bytes.length > MOST_ERROR_BYTES) return undefined;
  const text = bytes.toString('utf8');
  return jsonIn(text) ?? text;
}

/** What stands at the head of a stream before the model says anything. */
const BEGINNINGS: ReadonlySet<unknown> = new Set([
  'message_start',
  'ping',
  'response.created',
  'response.in_progress',
  'response.queued',
]);

/** Longer beginnings are somebody else's. */
const MOST_HELD = 32;

/**
 * A stream from its head on, once it is known that it is an answer. Rejects with `Refused` where it only says that the request
 * was too long: some servers answer 200 first and find out then.
 */
export async function opened(
  events: AsyncGenerator<StreamEvent>,
  headers: Refused['headers'],
): Promise<AsyncGenerator<StreamEvent>> {
  const held: StreamEvent[] = [];
  while (held.length < MOST_HELD) {
    const next = await events.next();
    if (next.done) break;
    held.push(next.value);
    const { fields } = next.value;
    if (fields && failureIn(fields) !== undefined && readOverflow(failureIn(fields))) {
      for await (const event of events) held.push(event);
      throw new Refused(200, headers, Buffer.concat(held.map(({ bytes }) => bytes)), failureIn(fields));
    }
    if (fields && !BEGINNINGS.has(fields.type)) break;
  }
  return (async function* () {
    yield* held;
    yield* events;
  })();
}

/** What an event says went wrong. */
export function failureIn({ type, error, response, message, code }: Fields): unknown {
  if (type === 'error') return error ?? { message, code };
  if (type === 'response.failed') return (response as Fields | undefined)?.error;
  return type === undefined ? error : undefined;
}

/** What a failure says of itself: the provider's own words where it refused. */
export function faultOf(error: unknown): Fault {
  if (error instanceof SpillwayError) return { code: error.code, message: error.message };
  if (!(error instanceof Refused)) return { message: 'The provider could not be asked.' };
  const { error: said = error.error } = isFields(error.error) ? error.error : {};
  if (!isFields(said)) return { message: String(said ?? error.message) };
  const { type, code, message } = said;
  return { type, code, message: String(message) };
}

/** What a provider calls an error; its message may hold anybody's words. */
export const nameIn = ({ type, code }: Fields): string | undefined =>
  [type, code].find((name) => typeof name === 'string' && /^[\w.-]{1,64}$/.test(name)) as string | undefined;
