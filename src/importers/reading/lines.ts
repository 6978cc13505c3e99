import { TextPieces } from './text.js';

const NEWLINE = 0x0a;

export interface LineSink {
  /** @param complete false for a last line that no newline ends */
  onLine(text: string, number: number, complete: boolean): void;
  onTooLong(number: number, bytes: number): void;
}

/** Cuts a stream of bytes into lines, holding no more than one line and never one above `maxLineBytes`. */
export class LineCutter {
  readonly #maxLineBytes: number;
  readonly #sink: LineSink;
  readonly #text = new TextPieces();
  /** Bytes of the line so far, also those that were let go. */
  #bytes = 0;
  #number = 1;

  constructor(maxLineBytes: number, sink: LineSink) {
    this.#maxLineBytes = maxLineBytes;
    this.#sink = sink;
  }

  push(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      this.#add(chunk.subarray(from, at));
      this.#flush(true);
      this.#number++;
      from = at + 1;
    }
    this.#add(chunk.subarray(from));
  }

  end(): void {
    this.#flush(false);
  }

  #add(piece: Buffer): void {
    this.#bytes += piece.length;
    if (this.#bytes > this.#maxLineBytes) this.#text.clear();
    else this.#text.add(piece);
  }

  #flush(complete: boolean): void {
    const bytes = this.#bytes;
    this.#bytes = 0;
    if (bytes > this.#maxLineBytes) this.#sink.onTooLong(this.#number, bytes);
    else if (bytes > 0) this.#sink.onLine(this.#text.take(), this.#number, complete);
  }
}
