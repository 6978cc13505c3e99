import { SpillwayError } from '../../../errors/index.js';
import type { Fault } from '../../endpoints/index.js';
import { isFields, jsonIn, readOverflow, type Fields } from '../../../formats/index.js';
import type { StreamEvent } from './sse.js';

/** A refusal of the upstream, with its answer, which is passed on byte for byte. */
export class Refusal extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly bytes: Buffer;
  /** The error in the answer, in the property where readers of refusals look for it. */
  readonly error: unknown;
  /** The request body that was refused. */
  sentBody: Buffer | undefined;

  constructor(status: number, headers: Refusal['headers'], bytes: Buffer, error: unknown = errorIn(bytes)) {
    super(`the upstream answered with ${status}`);
    this.status = status;
    this.headers = headers;
    this.bytes = bytes;
    this.error = error;
  }

  /** The refused request body, in the property where readers of refusals look for it to recognise quotations. */
  get requestBody(): string | undefined {
    return this.sentBody?.toString('utf8');
  }
}

/** Providers' errors are short. A longer answer is some other page, and is passed on unread. */
const MAX_ERROR_BYTES = 1_048_576;

function errorIn(bytes: Buffer): unknown {
  if (bytes.length > MAX_ERROR_BYTES) return undefined;
  const text = bytes.toString('utf8');
  return jsonIn(text) ?? text;
}

/** Types of events that come before the model's first output. */
const OPENING_EVENTS: ReadonlySet<unknown> = new Set([
  'message_start',
  'ping',
  'response.created',
  'response.in_progress',
  'response.queued',
]);

/** A stream with more of these events is not a known provider's. */
const MAX_OPENING_EVENTS = 32;

/**
 * Passes on a stream from its first event, once the stream is known to be an answer. Rejects with `Refusal` if the
 * stream only reports that the request was too long: some servers answer 200 before they detect that.
 */
export async function awaitOpening(
  events: AsyncGenerator<StreamEvent>,
  headers: Refusal['headers'],
): Promise<AsyncGenerator<StreamEvent>> {
  const heldEvents: StreamEvent[] = [];
  while (heldEvents.length < MAX_OPENING_EVENTS) {
    const next = await events.next();
    if (next.done) break;
    heldEvents.push(next.value);
    const { fields } = next.value;
    if (fields && failureIn(fields) !== undefined && readOverflow(failureIn(fields))) {
      for await (const event of events) heldEvents.push(event);
      throw new Refusal(200, headers, Buffer.concat(heldEvents.map(({ bytes }) => bytes)), failureIn(fields));
    }
    if (fields && !OPENING_EVENTS.has(fields.type)) break;
  }
  return (async function* () {
    yield* heldEvents;
    yield* events;
  })();
}

/** The error that an event reports. */
export function failureIn({ type, error, response, message, code }: Fields): unknown {
  if (type === 'error') return error ?? { message, code };
  if (type === 'response.failed') return (response as Fields | undefined)?.error;
  return type === undefined ? error : undefined;
}

/** A failure as a fault for the client, in the provider's own words if the provider refused. */
export function faultOf(error: unknown): Fault {
  if (error instanceof SpillwayError) return { code: error.code, message: error.message };
  if (!(error instanceof Refusal)) return { message: 'The provider could not be asked.' };
  const { error: said = error.error } = isFields(error.error) ? error.error : {};
  if (!isFields(said)) return { message: String(said ?? error.message) };
  const { type, code, message } = said;
  return { type, code, message: String(message) };
}

/** The provider's name for an error. Its message is not used, because it may contain private text. */
export const errorNameIn = ({ type, code }: Fields): string | undefined =>
  [type, code].find((name) => typeof name === 'string' && /^[\w.-]{1,64}$/.test(name)) as string | undefined;
