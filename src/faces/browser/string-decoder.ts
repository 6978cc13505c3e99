/** `node:string_decoder` without Node: decodes UTF-8 in pieces. */
export class StringDecoder {
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });

  write(piece: Uint8Array): string {
    return this.#decoder.decode(piece, { stream: true });
  }

  end(): string {
    return this.#decoder.decode();
  }
}

export default { StringDecoder };
