import { isFields, jsonIn, jsonText, type Fields } from '../../../formats/index.js';

/** One event of a stream: its bytes as they came, and what it says where that is an object. */
export interface StreamEvent {
  readonly bytes: Buffer;
  readonly fields: Fields | undefined;
}

const LF = 0x0a;
const CR = 0x0d;

/** An event that never ends is no event. */
const MOST_BYTES = 64 * 1_024 * 1_024;

/** Cuts the bytes of a stream into events. Nothing is lost: the bytes of all events are the bytes that came. */
export async function* eventsOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<StreamEvent> {
  let rest: Buffer = Buffer.alloc(0);
  let looked = 0;
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let end = endOf(rest, looked); end > 0; end = endOf(rest, 0)) {
      yield eventIn(rest.subarray(0, end));
      rest = rest.subarray(end);
    }
    looked = Math.max(0, rest.length - 3);
    if (rest.length > MOST_BYTES) throw new Error('an event of the stream has no end');
  }
  if (rest.length > 0) yield eventIn(rest);
}

/** Where the first event ends: behind its empty line; 0 where it has not ended. */
function endOf(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(LF, from); at >= 0; at = bytes.indexOf(LF, at + 1)) {
    if (bytes[at + 1] === LF) return at + 2;
    if (bytes[at + 1] === CR && bytes[at + 2] === LF) return at + 3;
  }
  return 0;
}

function eventIn(bytes: Buffer): StreamEvent {
  return {
    bytes,
    get fields() {
      return fieldsIn(bytes.toString('utf8'));
    },
  };
}

/** What the lines of data say together. */
function fieldsIn(text: string): Fields | undefined {
  const lines = text.split(/\r?\n/).filter((line) => line.startsWith('data:'));
  const said = lines.map((line) => line.slice(line.startsWith('data: ') ? 6 : 5)).join('\n');
  if (!said.startsWith('{')) return undefined;
  const value = jsonIn(said);
  return isFields(value) ? value : undefined;
}

/** An event as a server writes it. Those that name their type are named on the wire as well. */
export function written(event: Fields): string {
  const name = typeof event.type === 'string' ? `event: ${event.type}\n` : '';
  return `${name}data: ${jsonText(event)}\n\n`;
}
