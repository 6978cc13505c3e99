import { StringDecoder } from 'node:string_decoder';

/** Bytes that arrive in pieces, as one text. Decoded piece by piece, so that bytes and text never stand side by side. */
export class TextPieces {
  readonly #decoder = new StringDecoder('utf8');
  #pieces: string[] = [];

  add(piece: Buffer): void {
    if (piece.length > 0) this.#pieces.push(this.#decoder.write(piece));
  }

  clear(): void {
    this.#decoder.end();
    this.#pieces = [];
  }

  /** The whole text; empties this. */
  take(): string {
    const tail = this.#decoder.end();
    const pieces = this.#pieces;
    this.#pieces = [];
    if (tail !== '') pieces.push(tail);
    return pieces.length === 1 ? pieces[0]! : pieces.join('');
  }
}
