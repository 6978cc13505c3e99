import { isUtf8 } from 'node:buffer';

/** Looks at bytes as they go by: are all of them UTF-8? A character may be torn between two pieces. */
export class Utf8Check {
  isDamaged = false;
  /** The last bytes of a piece, where a character may go on in the next. */
  #open: Buffer = Buffer.alloc(0);

  async *of(pieces: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
    try {
      for await (const piece of pieces) {
        this.#see(piece);
        yield piece;
      }
      if (this.#open.length > 0) this.isDamaged = true;
    } finally {
      await pieces.return(undefined);
    }
  }

  #see(piece: Buffer): void {
    if (this.isDamaged) return;
    const bytes = this.#open.length > 0 ? Buffer.concat([this.#open, piece]) : piece;
    const end = wholeEnd(bytes);
    this.isDamaged = !isUtf8(bytes.subarray(0, end));
    this.#open = Buffer.from(bytes.subarray(end));
  }
}

/** Where the last character begins that may go on behind these bytes; their end where none does. */
function wholeEnd(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back]!;
    if ((byte & 0xc0) === 0x80) continue; // goes on from one before
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
