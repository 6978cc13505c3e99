import { isFields, jsonIn, type Fields } from '../../../formats/index.js';

/** One event of a stream: its original bytes, and its data if that is an object. */
export interface StreamEvent {
  readonly bytes: Buffer;
  readonly fields: Fields | undefined;
}

const LF = 0x0a;
const CR = 0x0d;
const EMPTY: Buffer = Buffer.alloc(0);

/** An event longer than this counts as endless. */
const MAX_BYTES = 64 * 1_024 * 1_024;

/**
 * Cuts the bytes of a stream into events. The bytes of all events together are the bytes of the stream. Each byte is
 * scanned and copied once, however the chunks cut an event, because an image is one event of many megabytes.
 */
export async function* eventsOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<StreamEvent> {
  let pending: Buffer[] = [];
  let length = 0;
  let tail = EMPTY;
  for await (const chunk of chunks) {
    pending.push(chunk);
    length += chunk.length;
    if (length > MAX_BYTES) throw new Error('an event of the stream has no end');
    if (!chunk.includes(LF) && !chunk.includes(CR)) {
      tail = EMPTY;
      continue;
    }
    const scanned = joined([tail, chunk]);
    const endAt = endOf(scanned);
    tail = scanned.subarray(-3);
    if (endAt === 0) continue;
    let rest = joined(pending);
    for (let end = length - scanned.length + endAt; end > 0; end = endOf(rest)) {
      yield eventIn(rest.subarray(0, end));
      rest = rest.subarray(end);
    }
    pending = rest.length > 0 ? [rest] : [];
    length = rest.length;
    tail = rest.subarray(-3);
  }
  if (length > 0) yield eventIn(joined(pending));
}

const joined = (pieces: readonly Buffer[]): Buffer =>
  pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);

/** Index after the empty line that ends the first event; 0 if it has not ended. A line ends with LF, CR LF or CR. */
function endOf(bytes: Buffer): number {
  const breakAt = (at: number): number =>
    bytes[at] === LF ? 1 : bytes[at] !== CR ? 0 : bytes[at + 1] === LF ? 2 : 1;
  for (let at = 0; at < bytes.length; at++) {
    const line = breakAt(at);
    const blank = line > 0 ? breakAt(at + line) : 0;
    if (blank > 0) return at + line + blank;
  }
  return 0;
}

const eventIn = (bytes: Buffer): StreamEvent => ({ bytes, fields: fieldsIn(bytes.toString('utf8')) });

/** The parsed object in the data lines. */
function fieldsIn(text: string): Fields | undefined {
  const lines = text.split(/\r\n|\n|\r/).filter((line) => line.startsWith('data:'));
  const data = lines.map((line) => line.slice(line.startsWith('data: ') ? 6 : 5)).join('\n');
  if (!data.startsWith('{')) return undefined;
  const value = jsonIn(data);
  return isFields(value) ? value : undefined;
}

/** Whether an event is the line `[DONE]`. OpenAI-like servers end streams with it, some of them on every wire. */
export const isDone = ({ bytes, fields }: StreamEvent): boolean =>
  !fields && /^data: ?\[DONE\]/m.test(bytes.toString('latin1'));
